import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { type RecordDefinition, text } from '../../libs/platform/src/input/field';
import { InputPipe } from '../../libs/platform/src/input/input.pipe';
import { InputOf } from '../../libs/platform/src/input/record-classes';
import { type Document, Validators } from '../contract/support/openapi-faults';
import { words } from '../setup/words';

const description = 'A field.';
const optional = {
  nom: text(5, { description }),
  courriel: text(320, { format: 'email', description }),
  lien: text(40, { format: 'uuid', description }),
  devise: text(3, { format: 'currency', description }),
  rang: { kind: 'integer', min: -2, max: 9, description },
  poids: { kind: 'decimal', max: 1_000_000, decimals: 4, description },
  actif: { kind: 'boolean', description },
  debut: { kind: 'date', description },
  sorte: { kind: 'choice', values: ['un', 'deux'], description },
  choix: { kind: 'choices', values: ['un', 'deux'], description },
  noms: { kind: 'texts', max: 2, length: 5, description },
} as const satisfies RecordDefinition;

class AnyInput extends InputOf(optional) {}
class SureInput extends InputOf(
  Object.fromEntries(Object.entries(optional).map(([name, field]) => [name, { ...field, required: true }])),
) {}

@Controller()
class EveryController {
  @Post('any')
  any(@Body() body: AnyInput): void {
    void body;
  }
  @Post('sure')
  sure(@Body() body: SureInput): void {
    void body;
  }
}

@Module({ controllers: [EveryController] })
class EveryModule {}

const GUID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41';

/** Values in the spellings that clients send. Texts are trimmed, and an empty one counts as none; the document says so. */
const VALUES: Record<keyof typeof optional, readonly unknown[]> = {
  nom: ['Roy', '😀😀😀😀😀', 'R', 'Roy-Ro'],
  courriel: words(
    `zoe@example.org zoé@example.org zoe@québec.ca z+x@a.b.example "a@b"@example.org zoe zoe@ 用户@例え.テスト`,
  ),
  lien: [GUID, GUID.toUpperCase(), 'x'],
  devise: ['CAD', 'cad'],
  rang: [-2, 9, 10, 1.5, '1'],
  poids: [1, 0, 1.5, 0.0001, '1', '1.5000', '007', '1e3', 1_000_000, -1, 1e-7],
  actif: [true, false, 'true', 1],
  debut: [
    ...words(
      `2026-01-31T13:00:00Z 2026-01-31 2026-01-31T13:00Z 2026-01-31T13:00:00Z 2026-01-31T13:00:00.123456789Z 0001-01-01`,
    ),
    ...words(
      `2026-01-31T13:00:00+05:00 2026-01-31T13:00-0500 2026-01-31t13:00:00z 9999-12-31T00:00:00-01:00`,
    ),
    ...words(`2026-02-30 2026-01-31T13:00:00 2026-01-31T24:00Z 20260131 2026-1-31 yesterday`),
  ],
  sorte: ['un', 'deux', 'trois'],
  choix: [[], ['un'], ['deux', 'un'], ['un', 'un'], ['trois']],
  noms: [[], ['Roy'], ['Roy', 'Léo'], ['Roy', 'Roy'], ['a', 'b', 'c'], ['Roy-Ro']],
};

describe('The documented schema of a request', () => {
  const pipe = new InputPipe();
  let validators: Validators;
  beforeAll(async () => {
    const app = await NestFactory.create(EveryModule, { preview: true, logger: false });
    validators = new Validators(
      SwaggerModule.createDocument(app, new DocumentBuilder().build()) as unknown as Document,
    );
  });

  const isAccepted = (metatype: typeof AnyInput | typeof SureInput, body: object): Promise<boolean> =>
    pipe.transform(body, { type: 'body', metatype }).then(
      () => true,
      () => false,
    );

  it.each(Object.keys(VALUES) as (keyof typeof VALUES)[])(
    'accepts what the service accepts: %s',
    async (name) => {
      const sound = Object.fromEntries(Object.entries(VALUES).map(([other, [first]]) => [other, first]));
      const excluded: unknown[] = [];
      let accepted = 0;
      for (const value of [...VALUES[name], null]) {
        const body = { ...sound, [name]: value };
        for (const type of [AnyInput, SureInput]) {
          if (!(await isAccepted(type, body))) continue;
          accepted++;
          const faults = validators.faultsOf({ $ref: `#/components/schemas/${type.name}` }, body);
          if (faults.length > 0) excluded.push([type.name, value, faults]);
        }
      }
      expect(excluded).toEqual([]);
      expect(accepted).toBeGreaterThan(2);
    },
  );
});
