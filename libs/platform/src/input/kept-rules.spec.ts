import 'reflect-metadata';
import { getMetadataStorage, IsInt, IsString, type ValidationError } from 'class-validator';
import { validate } from './kept-rules';

class Base {
  @IsString()
  nom: unknown = 1;
}

class Derived extends Base {
  @IsInt()
  age: unknown = 'x';
}

const rulesOf = (type: new () => object, groups?: string[]) =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false, groups);
const properties = (errors: ValidationError[]): string[] => errors.map(({ property }) => property).sort();

it('checks the rules of a class and of its bases, each time', async () => {
  for (let time = 1; time <= 2; time++) {
    expect(properties(await validate(new Derived()))).toEqual(['age', 'nom']);
    expect(properties(await validate(new Base()))).toEqual(['nom']);
  }
});

it('keeps the rules of each class, but not those of groups', () => {
  expect(rulesOf(Derived)).toBe(rulesOf(Derived));
  expect(rulesOf(Base)).not.toBe(rulesOf(Derived));
  expect(rulesOf(Derived, ['other'])).toEqual([]);
  expect(rulesOf(Derived)).toHaveLength(2);
});
