import type { FichierRecord } from '../domain/chiffrement.fields';

/** Guardian, files and ballots of the demonstration's encrypted votes. tools/encrypted-examples.mjs has written them. */
export const ENCRYPTED_EXAMPLES: {
  readonly gardien: string;
  readonly premierFichier: FichierRecord;
  /** The files of each ceremony that has ended, by campaign. */
  readonly ceremonies: Readonly<Record<string, readonly FichierRecord[]>>;
  readonly bulletins: readonly { readonly VotantId: string; readonly BulletinChiffre: string }[];
  readonly dechiffrement: FichierRecord;
} = {
  gardien: 'Ariane Lapointe',
  premierFichier: {
    campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c13',
    gardien: 1,
    tour: 1,
    nom: 'Ariane Lapointe',
    nombre: 1,
    seuil: 1,
    cleSignature: 'HKpwp9CTr4colq18oQfgyzBjqKnnci8udfHtLBKl1Dk',
    cleTransport: '6DY0U2rGDwoCCo-S-OVnF67fIkRITXdjZXgN2LgEsi8',
    preuve: '4y_W45hS6YNlFjvW_ghOCFv9Ybb4bub4La7njWPHOANGkOgxlG-45yB3MeslE197J6yJVbQdvkWxDuSEC0D6Bw',
    signature: 'iUk9WhbYiw01eHRqu0YUpYjpkM-ZfRu8vPSMMQibhIIu1G536Oa77OhMjvODqt9A8vNp0t0J2rFPrnJwDQbXBQ',
  },
  ceremonies: {
    '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c14': [
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c14',
        gardien: 1,
        tour: 1,
        nom: 'Ariane Lapointe',
        nombre: 1,
        seuil: 1,
        cleSignature: '4YiRm1xGshFV_G_3jHvBcSUs2imMVtMsODRmXVEuU40',
        cleTransport: 'Er1n6eN_fqzII9NyAsKKzh1sfwIT7HGQBJhz6lOoygY',
        preuve: 'tYY3jZnRVBYc7MZ7HhPG5iz04JlJuR72aDqW7cPNGg0_xlvNzgRDH8ns9qPqowby14FEWBC6agVxWeurnOukAQ',
        signature: 'YXSzRu99xLHIwXfoUQpN5kfHcUAHHUK-Wku7sirkLF5AZ2C-dOPVyS48oiLWaRMkw0VmzHxkt2SL6UwIusRwDw',
      },
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c14',
        gardien: 1,
        tour: 2,
        precedent: 'NM9zQn1TJ6SVkClAS9JF41dvc5lEPHK1LIgrOFwBYoo',
        engagements: ['Ao-FnhgfGpyyUsxLs-QgM5NEBZU2CqUNq2fHw7I4gQ4'],
        preuve: 'aBqwz6ZmfjkDzJ_aFCXaaoHXj7ibTgDtaXzh_WOfIgH3zo4txx71N1oc-MGYH3-4LrgOvGqboP8GCYDNTQXPDA',
        parts: [],
        signature: 'Yyi2yDuOIEEaUZRiz6FeZNyHm51CoKtZ8B4OVbeGOJVx-H-chX8F3pAEzQHfecawBFqAhecqqm3OqyspFnDyDg',
      },
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c14',
        gardien: 1,
        tour: 3,
        precedent: 'qOkHwpqyENHZkDzQbDyl0Mo_msKSeN8Tt1yfKEsvIw0',
        cle: 'Ao-FnhgfGpyyUsxLs-QgM5NEBZU2CqUNq2fHw7I4gQ4',
        signature: 'hQtp7fkEluKX0n4P7uDUJPKTBwZnuKpxnJElZkz3OU8XzltBNgOpkpO2CqXxTV9cbHL2kW-VaMbsXxUY78knDQ',
      },
    ],
    '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15': [
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15',
        gardien: 1,
        tour: 1,
        nom: 'Ariane Lapointe',
        nombre: 1,
        seuil: 1,
        cleSignature: 'm5ViDzdJJpsBivRJkzbVraWqajDi-0sFbNnw0CUJuRE',
        cleTransport: 'Lr0ZlM8wq3cbW2S0uFIlddJtL5-MmhAYqcI-ULqMe0o',
        preuve: 'W-lE7wV1gkvZrV_XniFZrz9DsjOGmg60TN9cw06ssAybEc3IHnjq_XcxDD5mUEN-72407JaUEQ5myzKRAWwAAw',
        signature: 'vW4PkXfgMOtB_EChT9zO7cQm7rUpGU0ZaPlqlm9wwSnp94mZ6QTc0lb9amBytSpC_kbWGYui3r89KGmKzrJYCA',
      },
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15',
        gardien: 1,
        tour: 2,
        precedent: '5zPer-TogroFJrZbNGmINaPZNIQ7_APnSMQGMkzI3Ks',
        engagements: ['TMuEhQfDJKhGhliSpBV1j6T2vwNstqXuM08iWJUn1Dk'],
        preuve: '0aYOnFJQWfW-7j7cRVoj9LmPqFFBH0M2-WQJ2F5n3A1T-ygscat8oo-cBP9WHMfGV9B7J-znea4C148IIn6EBg',
        parts: [],
        signature: 'jZNlvt6AzX8W98pa14PF9GueIlcl1tU6LWrRYpA0H1fcjypbXabqSeu8ADXhTE8BQcC3RESoVI2WeF0a5oOPCQ',
      },
      {
        campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15',
        gardien: 1,
        tour: 3,
        precedent: 'jC_LcjZOsiAVTpN8F2ZrOdtwNbyVP23NH32OhopBK6g',
        cle: 'TMuEhQfDJKhGhliSpBV1j6T2vwNstqXuM08iWJUn1Dk',
        signature: 'q9Nj6nqaWx7bzq28XrERyHxGvLUOQp6LY1FyRmEMpGjpmraO4p2sUadLNOt2Iw35ZNpykSiqLEpYbbIUgnnwDw',
      },
    ],
  },
  bulletins: [
    {
      VotantId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c47',
      BulletinChiffre:
        'Aer9ucUhyKFWwK9d1WAzj4P5I97TXZkn8XDGyOB_Mbh5BPSB9quBqtq-R3csV4KBL7KkaNgvENCs6s8dWT8HFX0UuCP_tYWoE53JotaQUvIar1fGolpfTpanMcV5Pdm-YsS6AO_1TB3zuNjeydhBVFfei1DaNlYRhJSEk6XJiqBAlCkxg-6s-kGdWUSdmDhJO1wyQR45LXDQdmXjygnd50-G9mJ4keUXR9cfCsaZYthbE4rZaMRfzlOqJpmCSPj5NXgGxzqxHrRAXsmEdw7qiDRSm8TYcsj4xRPrdjNu6kwHTMF4QUx_w3l7tmPeW0NKXPorsU6CXdFzcoATVcr5-gpqbg10zikMRxa4zvD-2V6Yw_yB4jKxjGU9RwF522gkA5rh-UEwbP3tR3Twjd8uFsY_2GS4K0wWRAWEJbL3mW0Jv2ZCNQP93ME-gODu92ZlmtSHQQ6zzt8G45e1rxqEZA5Hhn2A_Fp7nojv3JsA7_2q_WShCAezMidWjZVwC379BAAw6pDmzlnWPteQ6Ny-LlhCYK3eIBmymr3NXvHypeUHkwcV1qSj3PLZ-rim2u7bidO4jKQmF1Htfyib7gcFZQD-_8TJmvRnVuuhpvD7IEfCLUFkgcF4gL1bCTc92VcMBog4siuv--GPFFcfN9rRzukTx5HoUq51d6d_NG4DIAIERZYefvkH0rry6BgQwjrHYjSsjmGEuKx2TrTe7_mHLw7VK_Cpd3D43U68G0dRUfMcFBCX9sbscF5DmXp928CaDiEPp6kGGxNgtLnJe_qBnEsjt9XC5Ks3UwA_Rxz2NXoA-9Qco7IJzvhz8VGRyc1opgvXn0u5YKUu5Eb8oL0_7gc',
    },
    {
      VotantId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c48',
      BulletinChiffre:
        'Af7O3XZ9IrhcJA3DqVRvW1XuYApp0doVwV9xECvFvYl2fsc5dviokp4m6KHm1q9lQMW95zbJZrSQ9XeL9slBmDWU9EEyXC80I3hRmjKOmLwHjSEEpqVnZ6Vbsz8NUA1sPDpwYPepTcfrgOWIl3eKEcbAn4FQuH0l4RUHGjPNVzoKxkNg6HLG5M3pTd1bUmr-cX6UFmdv1JlThJmEYZWPTCdokLYp-mSmb_jMpsns5A0FelDx9fxYOMkWfoijdm4YT4ixrHSJ7F3K8ASO4or4Z7Bcy6iUTHTms4iuHsIOqDIPQsUr6reH4AEG0q5Tbz7JQGVktcVKSPWleyLRaoQKWQqAI6ytm9YFUe4IYCkx8DBU6NspVMieRdMhuMRcDd5DDGXGMeUVVkUkUTpYZKH8Z4V9KoZ7frxIsVpfiNPMmccIFpbewkBBQK0laaK1U3ubd2eYgVv-k1xzab_knYFdSwnC_F57Z1GZ6s6XrECNpWyXGNi1Iu5AWeYtsmP40b_HAnuNF7Noqdr-0CHul-70WIZfHPVdiYELQVi5iAZhql8MTu3ROTnqgiK4nWo1pI9AbiJqAywFCcT7M3Q1W-VUVgeBmr1_sW8IC7hhBu7FraDxZg6XrPAwm3x-OemvwfOHDp-VwQyYjBLJcm7GtzH52vhoOTo0JE_FeRcFUZgkYQUCUfaMF0i1L973pfH7Cvi2tYGWz-2vAXyiBoNM-yMHXgezemf2_1JjNr7zw71rYYK9Z_Dgkz7Wb_-155i_fZIEDgRJ8_lfQROqyM3cSE590cGOrqhN-HHj1YPlqyrHuVkAzCHoZ2R5X3jdZbY4Z6FeIMu66FvLn5UDQCr5I7Bk2gI',
    },
  ],
  dechiffrement: {
    campagneId: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c15',
    gardien: 1,
    tour: 4,
    precedent: 'jizk0CS7lXjadpHk__hKl4quFfMpaLCX1ZwWiRuqfKc',
    depouillement: 'edjG0I8gT4FRdksk6sAdlCOVTGRDiW_sOAQExd-u8Fw',
    parts: [
      {
        part: 'GIUuION65FC9FFX31gQvkVRUW3mqCkISthAzzDP7TRE',
        preuve: '7FQsT3dIwyBYVyyLBac9ko9a5CMdYYS1WZ3IG5Bf4Qib3aNxExRwmouPGE-5tHyxTstXgnPOnnMhKJRSJSrfBA',
      },
      {
        part: 'IA1HNmyYX1CZuen8ZqzpTEmMcJqPV7AQUsHJqMyxFyM',
        preuve: '5HSA5D0qcsVP8-7lFe0JjJLXOoo557_FEpxwAcNTIATFAvz4v0fmQR5t-pJLz1x2EGiKYOlAGnM-NarpaB8NBA',
      },
      {
        part: '9EAqRZZ1Rt6_QKT7SVdWKAaQdtWwRqVez81BCDog12U',
        preuve: 'gDJVug69-Ux4ZuaHDKC3R6b-vbRuEm0TcQc4BxbhFQFFI0Lh4jKRTPGqankHGLrFqCc6wFFDVsvSMutEh0NzAw',
      },
    ],
    signature: 'mUFpIJf6An7WF3HGy9xDImSI6gVbCfA3C7M_U5SxzBpwFW0902cXCKRSMREFpueYVhizYsHH8z34ItmUYe_dAA',
  },
};
