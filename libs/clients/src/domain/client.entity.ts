import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An organisation that uses the service; its id is the ClientId of the specification. */
@Entity('client')
export class Client {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  nom: string;

  @Column('text', { array: true })
  modules: string[];

  /** Whether statistics show results while the vote is open. */
  @Column('boolean')
  resultatsVoteActifVisibles: boolean;

  /** Smallest number of ballots that a filtered result may show; 1 hides nothing. */
  @Column('integer')
  seuilAnonymat: number;

  /** Requests a minute of each of its keys; null is the service's default. */
  @Column('integer', { nullable: true })
  limiteParMinute: number | null;

  @Column('text', { nullable: true })
  contactTechnique: string | null;

  @Column('text', { nullable: true })
  casUsage: string | null;

  /** IANA time zone that says which day it is for the client. */
  @Column('text')
  fuseauHoraire: string;

  @Column('timestamptz')
  dateCreation: Date;
}
