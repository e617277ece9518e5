import { Injectable } from '@nestjs/common';

/** What the context of e-mail knows of the last email to a voter: SQL of each property. `$1` is the tenant. */
export type VoterEmailColumns = Readonly<
  Record<'EtatCourriel' | 'StatutCourriel' | 'RaisonCourriel', string>
>;

/** Asks the context of e-mail, which registers here: it imports this context, and not the reverse. */
@Injectable()
export class VoterEmails {
  private registered: { columnsOf(votant: string): VoterEmailColumns } | undefined;

  register(source: { columnsOf(votant: string): VoterEmailColumns }): void {
    this.registered = source;
  }

  /**
   * @param votant name of the table of voters in the statement
   * @returns SQL that is null in a process without e-mail
   */
  columnsOf(votant: string): VoterEmailColumns {
    const none = { EtatCourriel: 'NULL', StatutCourriel: 'NULL', RaisonCourriel: 'NULL' };
    return this.registered?.columnsOf(votant) ?? none;
  }
}
