import { manifests, type Yaml } from './support/files';
import { schemaFaults } from './support/official-schema';

describe('The official schemas of Kubernetes', () => {
  it.each(manifests().map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    'accept %s',
    async (_name, object) => {
      expect(await schemaFaults(object)).toEqual([]);
    },
  );

  const find = (kind: string): Yaml => manifests().find((object) => object.kind === kind);
  const pod = (deployment: Yaml): Yaml => deployment.spec.template.spec;
  const container = (deployment: Yaml): Yaml => pod(deployment).containers[0];

  it.each<[fault: RegExp, kind: string, change: (object: Yaml) => unknown]>([
    [/^unknown property \/specs$/, 'Deployment', (object) => (object.specs = {})],
    [/^unknown property \/spec\/replica$/, 'Deployment', ({ spec }) => (spec.replica = 2)],
    [
      /^unknown \S+ \/spec\/\S+\/0\/readinesProbe$/,
      'Deployment',
      (object) => (container(object).readinesProbe = {}),
    ],
    [
      /\/readOnlyRootFileSystem$/,
      'Deployment',
      (object) => (container(object).securityContext.readOnlyRootFileSystem = true),
    ],
    [/^unknown property \/metadata\/labls$/, 'Service', ({ metadata }) => (metadata.labls = {})],
    [/^unknown property \/spec\/egres$/, 'NetworkPolicy', ({ spec }) => (spec.egres = [])],
    [/replicas/, 'Deployment', ({ spec }) => (spec.replicas = 'two')],
    [/data/, 'ConfigMap', ({ data }) => (data.PORT = 3000)],
    [/automountService/, 'ServiceAccount', (object) => (object.automountServiceAccountToken = 'no')],
    [/type/, 'Deployment', (object) => (pod(object).securityContext.seccompProfile.type = 'Default')],
    [/selector/, 'Deployment', ({ spec }) => delete spec.selector],
    [/maxReplicas/, 'HorizontalPodAutoscaler', ({ spec }) => delete spec.maxReplicas],
  ])('report %s', async (fault, kind, change) => {
    const object = find(kind);
    change(object);
    expect(await schemaFaults(object)).toEqual([expect.stringMatching(fault)]);
  });
});
