import { Injectable } from '@nestjs/common';

/** An employee that is about to be deleted. */
export interface DeletedEmploye {
  readonly tenantId: string;
  readonly idExterne: string;
  readonly idUnique: string;
}

/** Notes, in the ambient transaction, which rows stay of an employee and would no longer be found by its identifier. */
export interface DeletionNotesWriter {
  note(employe: DeletedEmploye): Promise<void>;

  /** Notes employees that no row of another table references. @param employes table with the columns `id_externe` and `id_unique` */
  noteAll(tenantId: string, employes: string): Promise<void>;
}

/**
 * Calls the context of personal data, which registers its writer here: it imports this context, and not the reverse.
 * Without a writer no employee is deleted, because an administrator could not erase it later.
 */
@Injectable()
export class DeletionNotes {
  private registered: DeletionNotesWriter | undefined;

  register(writer: DeletionNotesWriter): void {
    this.registered = writer;
  }

  get writer(): DeletionNotesWriter {
    if (!this.registered) throw new Error('No writer of notes is registered: load PersonneModule.');
    return this.registered;
  }
}
