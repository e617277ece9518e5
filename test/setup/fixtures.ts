/**
 * Makes an object before the tests of a file or a block and stops it after them.
 *
 * @returns the object, which has its properties from the first `beforeAll` on
 */
export function perFile<T extends { stop(): Promise<void> }>(make: () => Promise<T>): T {
  const object = {} as T;
  beforeAll(async () => fill(object, await make()));
  afterAll(() => object.stop());
  return object;
}

/**
 * Makes an object before each test. The returned object has the properties of the latest one.
 *
 * Do not use it for an object with callbacks of its own: they would keep the original.
 */
export function perTest<T extends object>(make: () => Promise<T>): T {
  const object = {} as T;
  beforeEach(async () => fill(object, await make()));
  return object;
}

function fill(object: object, made: object): void {
  Object.setPrototypeOf(object, Object.getPrototypeOf(made) as object);
  Object.assign(object, made);
}
