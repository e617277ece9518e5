import { Injectable } from '@nestjs/common';

/** Returns SQL of JSON members about the last email to a voter; null without one. `$1` is the tenant. */
export type VoterEmailMembers = (votant: string) => string;

const NONE = `'"EtatCourriel":null,"StatutCourriel":null,"RaisonCourriel":null'`;

/** Asks the context of e-mail, which registers here: it imports this context, and not the reverse. */
@Injectable()
export class VoterEmails {
  private registered: VoterEmailMembers | undefined;

  register(members: VoterEmailMembers): void {
    this.registered = members;
  }

  /**
   * Returns SQL of the members `EtatCourriel`, `StatutCourriel` and `RaisonCourriel`, which are null in a process without e-mail.
   *
   * @param votant name of the table of voters in the statement
   */
  membersOf(votant: string): string {
    return this.registered ? `coalesce(${this.registered(votant)}, ${NONE})` : NONE;
  }
}
