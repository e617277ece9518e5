import { getMetadataStorage, type MetadataStorage } from 'class-validator';

type Find = MetadataStorage['getTargetValidationMetadatas'];

const storage = getMetadataStorage();
const find: Find = storage.getTargetValidationMetadatas.bind(storage);
const kept = new WeakMap<object, ReturnType<Find>>();

const findOnce: Find = (type, schema, always, strictGroups, groups) => {
  if (always || strictGroups || groups) return find(type, schema, always, strictGroups, groups);
  let rules = kept.get(type);
  if (!rules) kept.set(type, (rules = find(type, schema, always, strictGroups)));
  return rules;
};

// For each object that it checks, class-validator searches the rules of all classes of the program, because a class has the rules
// of its bases, too. Rules are declared when classes are loaded, so what it found for a class stays true.
storage.getTargetValidationMetadatas = findOnce;

// Exported from here, because an import of it then also loads the lookup above.
export { validate } from 'class-validator';
