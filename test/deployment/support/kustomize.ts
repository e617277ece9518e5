import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { objectsOf, type Yaml } from './files';

interface Target {
  readonly kind: string;
  readonly name?: string;
  readonly labelSelector?: string;
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/**
 * Renders a folder like `kubectl kustomize`, for the fields that the manifests use.
 *
 * @throws Error for another field
 */
export function rendered(folder: string): Yaml[] {
  const {
    resources,
    patches = [],
    namespace,
    nameSuffix = '',
    labels = [],
    images = [],
    ...others
  } = objectsOf(join(folder, 'kustomization.yaml'))[0] as Record<string, Yaml>;
  const unknown = Object.keys(others).filter((key) => !['apiVersion', 'kind'].includes(key));
  if (unknown.length > 0) throw new Error(`${folder}: unknown ${unknown.join(', ')}`);
  const objects = (resources as string[]).flatMap((one) => {
    const path = join(folder, one);
    return path.endsWith('.yaml') ? objectsOf(path) : rendered(path);
  });
  for (const { target, patch } of patches as { target: Target; patch: string }[]) {
    const meant = objects.filter((object) => isMeant(target, object));
    if (meant.length === 0) throw new Error(`${folder}: ${JSON.stringify(target)} is no object`);
    for (const object of meant) for (const one of parse(patch) as Operation[]) apply(object, one);
  }
  for (const object of objects) {
    object.metadata.name += nameSuffix as string;
    if (namespace) object.metadata.namespace = namespace;
    for (const { pairs, includeSelectors } of labels as Yaml[]) {
      if (!includeSelectors) throw new Error(`${folder}: labels without selectors`);
      for (const place of labelsOf(object)) Object.assign(place, pairs);
    }
    for (const container of containersOf(object))
      for (const { name, newName, digest } of images as Yaml[])
        if (/^[^@:]+/.exec(container.image as string)![0] === name) container.image = `${newName}@${digest}`;
  }
  return objects;
}

/** Every file that the kustomization of a folder uses, at any depth. */
export function filesOf(folder: string): string[] {
  const file = join(folder, 'kustomization.yaml');
  const paths = (objectsOf(file)[0].resources as string[]).map((one) => join(dirname(file), one));
  return [file, ...paths.flatMap((path) => (path.endsWith('.yaml') ? [path] : filesOf(path)))];
}

function isMeant({ kind, name, labelSelector, ...others }: Target, object: Yaml): boolean {
  if (Object.keys(others).length > 0)
    throw new Error(`unknown ${Object.keys(others).join(', ')} of a target`);
  const [, key, not, value] = /^([^!=]+)(!?)=(.+)$/.exec(labelSelector ?? '') ?? [];
  return (
    object.kind === kind &&
    (name === undefined || object.metadata.name === name) &&
    (key === undefined || (object.metadata.labels?.[key] === value) === (not === ''))
  );
}

/** Applies an operation of RFC 6902. A path must exist, because kustomize fails otherwise, too. */
function apply(object: Yaml, { op, path, value }: Operation): void {
  const keys = path.slice(1).split('/');
  const last = keys.pop()!;
  const parent = keys.reduce<Yaml>((inner, key) => inner[key], object);
  const isAbsent = Array.isArray(parent) ? Number(last) >= parent.length : !(last in parent);
  if (op !== 'add' && isAbsent) throw new Error(`${object.kind} ${object.metadata.name} has no ${path}`);
  const copy = structuredClone(value);
  if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : Number(last);
    parent.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [copy]));
  } else if (op === 'remove') delete parent[last];
  else parent[last] = copy;
}

/** Labels of an object and of its pods, and selectors of pods: kustomize also changes those of other pods in policies. */
function labelsOf({ kind, metadata, spec }: Yaml): Yaml[] {
  const pod = spec?.template;
  const spread = ((pod?.spec.topologySpreadConstraints ?? []) as Yaml[]).map(
    (one) => one.labelSelector.matchLabels,
  );
  const selector = kind === 'Service' ? spec.selector : (spec?.selector ?? spec?.podSelector)?.matchLabels;
  const peers = [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].flatMap(
    (rule: Yaml) => rule.from ?? rule.to ?? [],
  );
  const others = peers.map((peer: Yaml) => peer.podSelector?.matchLabels);
  return [metadata.labels, pod?.metadata.labels, selector, ...spread, ...others].filter(
    (one) => one !== undefined,
  );
}

function containersOf({ kind, spec }: Yaml): Yaml[] {
  return kind === 'Deployment' || kind === 'Job' ? spec.template.spec.containers : [];
}
