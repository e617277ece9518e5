import { Injectable } from '@nestjs/common';
import type { EventListener, RecordedEvent } from '#platform/events/outbox';
import { fr } from '#platform/errors/text';
import { DISABLED_BECAUSE, WEBHOOK_EVENTS, type WebhookDesactive } from '#webhooks';
import { CourrielsService } from './courriels.service';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Tells a client's technical contact by e-mail, in French, that an endpoint was disabled (docs/contract.md, "Delivery"). */
@Injectable()
export class ContactNotices implements EventListener {
  constructor(private readonly courriels: CourrielsService) {}

  async onEvent(tenantId: string, { type, data }: RecordedEvent): Promise<void> {
    if (type !== WEBHOOK_EVENTS.desactive.type) return;
    const { webhookId, url, desactiveLe, raisonDesactivation } = JSON.parse(data) as WebhookDesactive;
    const corps = [
      fr`Le service a désactivé le webhook <b>${escaped(url)}</b> le ${desactiveLe}.`,
      fr`Raison : ${escaped(inFrench(raisonDesactivation))}`,
      fr('Les événements restent dans le fil pendant 30 jours : <code>GET /b2b/v2/evenement</code>.'),
      fr`Corrigez le récepteur, puis réactivez le webhook : <code>PUT /b2b/v2/webhook/${webhookId}</code> avec <code>"actif": true</code>.`,
    ];
    await this.courriels.tellContact(tenantId, {
      sujet: fr`Webhook désactivé : ${new URL(url).host.slice(0, 200)}`,
      corpsHtml: corps.map((text) => `<p>${text}</p>`).join(''),
    });
  }
}

/** @param reason as the event has it */
function inFrench(reason: string): string {
  return Object.values(DISABLED_BECAUSE).find(({ en }) => en === reason)?.fr ?? reason;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => ENTITIES[character]!);
}
