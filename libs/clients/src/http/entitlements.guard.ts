import { CLE, ESSAI, MODULE, MODULE_REMEDY } from '#access/access.errors';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { requirementOf } from '#access/requirement-of';
import { CLIENT } from '../domain/clients.errors';
import { callerOf } from '#access/requires.decorator';
import { DomainError } from '#platform/errors/domain-error';
import { fr } from '#platform/errors/text';

/**
 * Third guard: refuses with 403 the keys of a suspended client, and a key that lacks the role, the module or the environment of
 * the route.
 */
@Injectable()
export class EntitlementsGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const requirement = requirementOf(this.reflector, context);
    if (!requirement) return true;
    const { role, module, environnement } = requirement;
    const caller = callerOf(context);
    if (caller.isSuspended) throw new DomainError(CLIENT.Suspendu);
    if (caller.role !== role) {
      const detail = {
        en: `This operation needs a key of role ${role}; this key has role ${caller.role}.`,
        fr: fr`Cette opération demande une clé de rôle ${role}; cette clé a le rôle ${caller.role}.`,
      };
      throw new DomainError(CLE.RoleInsuffisant, detail);
    }
    if (module && !caller.modules.includes(module)) {
      const detail = {
        en: `The module ${module} is not active for this key. ${MODULE_REMEDY.en}`,
        fr: fr`Le module ${module} n'est pas actif pour cette clé. ${MODULE_REMEDY.fr}`,
      };
      throw new DomainError(MODULE.NonActif, detail, { module });
    }
    if (environnement && caller.environnement !== environnement)
      throw new DomainError(ESSAI.EnvironnementRequis);
    return true;
  }
}
