import { type PersonalData, renamedReference } from '#membership/relations';

export const CONSENT_PERSONAL_DATA: PersonalData = {
  rows: [
    {
      section: 'consentements',
      table: 'consentement',
      where: 'id_externe_employe = :employe',
      audited: true,
      erased: { with: 'employe' },
    },
  ],
  identifiers: renamedReference('consentement', 'id_externe_employe'),
  notPersonal: { objet_consentement: 'what may be consented to' },
};
