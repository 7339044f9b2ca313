const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    namespace: 'default',
    labels: { app: 'web', 'app.kubernetes.io/name': 'web' },
    annotations: null,
  },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'nginx:1.25',
        ports: [{ containerPort: 80 }, { containerPort: 443 }],
        resources: { limits: { cpu: '500m' } },
      },
      { name: 'side', image: 'envoy', ports: [] },
      { name: 'third', image: 'busybox', ratio: 1.5, ready: true },
    ],
    nodeName: 'node-1',
    replicas: 3,
    empty: {},
    none: null,
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True', count: 1 },
      { type: 'Initialized', status: 'False', count: 2 },
      { type: 'Scheduled', status: 'True', count: 10 },
    ],
    html: '<a href="x">&</a>',
    matrix: [[1, 2], [3, 4], []],
    numbers: [5, 3, 8, 1, 9, 2],
    floats: [1.5, 2, 1e21, 0.000001],
  },
}

const items = {
  kind: 'List',
  items: [pod, { metadata: { name: 'other' }, status: { phase: 'Pending' } }, { metadata: { name: 'bare' } }],
}
const noItems = { kind: 'List', items: [] }

const templates = String.raw`
{.kind}
{.metadata.name}
{$.metadata.name}
{@.metadata.name}
{@}
{$}
{.}
{}
{ }
plain text
text {.kind} more
{.kind}{.metadata.name}
{.kind} {.metadata.name}
{.kind}{"\n"}
{.kind}{'\t'}{.metadata.name}
{"a\"b"}
{'a\'b'}
{"\u0041\x42\103"}
{"\q"}
{"a'b"}
{'a"b'}
{"日本"}
{.metadata.labels.app}
{.metadata.labels['app']}
{.metadata['labels']['app']}
{['kind']}
{.metadata.labels.app\.kubernetes\.io/name}
{.metadata.labels['app\.kubernetes\.io/name']}
{.metadata.labels['app.kubernetes.io/name']}
{.metadata.labels["app"]}
{.missing}
{.missing.deeper}
{.metadata.missing}
{.metadata.annotations}
{.metadata.annotations.x}
{.spec.none}
{.spec.empty}
{.spec.replicas}
{.spec.replicas.x}
{.spec.containers}
{.spec.containers[0]}
{.spec.containers[0].name}
{.spec.containers[1].image}
{.spec.containers[-1].name}
{.spec.containers[-3].name}
{.spec.containers[-4].name}
{.spec.containers[3].name}
{.spec.containers[9].name}
{.spec.containers[*].name}
{.spec.containers[*].ports}
{.spec.containers[*].ports[*].containerPort}
{.spec.containers[*].ports[0].containerPort}
{.spec.containers[:].name}
{.spec.containers[0:1].name}
{.spec.containers[0:2].name}
{.spec.containers[1:].name}
{.spec.containers[:2].name}
{.spec.containers[-2:].name}
{.spec.containers[:-1].name}
{.spec.containers[0:3:2].name}
{.spec.containers[::2].name}
{.spec.containers[0:0].name}
{.spec.containers[2:1].name}
{.spec.containers[0:9].name}
{.spec.containers[::0].name}
{.spec.containers[::-1].name}
{.spec.containers[0,2].name}
{.spec.containers[0, 1].name}
{.spec.containers[0,9].name}
{.spec.containers['name','image']}
{.metadata['name','namespace']}
{.metadata['name', 'missing']}
{.spec.containers[*]['name','image']}
{.spec.containers[a]}
{.spec.containers[1.5]}
{.spec.containers[]}
{.spec.containers[0}
{.spec.containers[
{.spec.containers[?(@.name=="main")].image}
{.spec.containers[?(@.name=='main')].image}
{.spec.containers[?(@.name!="main")].image}
{.spec.containers[?(@.name>"main")].name}
{.spec.containers[?(@.name=="none")].image}
{.spec.containers[?(@.ports)].name}
{.spec.containers[?(@.ready)].name}
{.spec.containers[?(@.ports[0])].name}
{.spec.containers[?(@.ports[5])].name}
{.spec.containers[?(@.name[0])].name}
{.spec.containers[?(@.ports[?(@.containerPort==80)])].name}
{.spec.containers[?(@.ready==true)].name}
{.spec.containers[?(@.ready==false)].name}
{.spec.containers[?(@.ready>true)].name}
{.spec.containers[?(@.ratio==1.5)].name}
{.spec.containers[?(@.ratio>1)].name}
{.spec.containers[?(@.ratio>1.0)].name}
{.spec.containers[?(@.missing=="x")].name}
{.spec.containers[?(@.resources.limits.cpu=="500m")].name}
{.spec.containers[?(@.name==@.name)].name}
{.spec.containers[?(@.name==)].name}
{.spec.containers[?(@.name===“main”)].name}
{.spec.containers[?(@.name=~"m")].name}
{.spec.containers[?(@.name<>"m")].name}
{.spec.containers[?(@.ports==1)].name}
{.spec.containers[?(@.name=="a)b")].name}
{.spec.containers[?(@.name=="main"].name}
{.spec.containers[?(@.name=="main")}
{.spec.containers[?(
{.status.conditions[?(@.type=="Ready")].status}
{.status.conditions[?(@.status=="True")].type}
{.status.conditions[?(@.count>1)].type}
{.status.conditions[?(@.count>=2)].type}
{.status.conditions[?(@.count<2)].type}
{.status.conditions[?(@.count<=2)].type}
{.status.conditions[?(@.count==10)].type}
{.status.conditions[?(@.count!=10)].type}
{.status.conditions[?(@.count=="1")].type}
{.status.conditions[?(@.count==1.0)].type}
{.status.conditions[?(@['type']=="Ready")].status}
{.status.conditions[?(@.type in "Ready")]}
{.metadata[?(@.name=="x")]}
{.kind[?(@.x=="x")]}
{.kind[0]}
{.metadata[0]}
{.spec.replicas[0]}
{.status.matrix}
{.status.matrix[0][1]}
{.status.matrix[*][0]}
{.status.matrix[0:2][0]}
{.status.matrix[*][*]}
{.status.numbers}
{.status.numbers[*]}
{.status.numbers[1:3]}
{.status.numbers[::3]}
{.status.numbers[?(@>4)]}
{.status.numbers[?(@==8)]}
{.status.numbers[?(@>=5)]}
{.status.floats}
{.status.floats[*]}
{.status.floats[?(@>1.6)]}
{.status.html}
{.status}
{..containerPort}
{..name}
{.spec..name}
{..cpu}
{..missing}
{...name}
{....name}
{..containers[0].name}
{.spec.containers[*]..containerPort}
{..type}
{range .spec.containers[*]}{.name}{"\n"}{end}
{range .spec.containers[*]}{.name}={.image};{end}
{range .spec.containers[*]}[{.name}]{end}done
{range .spec.containers[*]}{.name}{range .ports[*]}:{.containerPort}{end} {end}
{range .spec.containers[?(@.ports)]}{.name} {end}
{range .status.conditions[*]}{.type}={.status} {end}
{range .missing[*]}{.x}{end}
{range .spec.containers[*]}{.missing}{end}
{range .spec.containers[*]}{.name}
{range .status.matrix[*]}{[*]} {end}
{range .status.matrix[*]}{@}{end}
{range .status.numbers[*]}{@},{end}
{end}
{.kind}{end}
{range}
{range .spec.containers[*]}{end}
{foo}
{true}
{false}
{1}
{-1}
{1.5}
{1.0}
{+5}
{1.2.3}
{-}
{.kind
{.kind}}
{{.kind}}
}
{
{"abc
{'abc}
{#}
{(}
{.kind | x}
{.a b}
{.kind .metadata}
{.kind,.metadata}
{.kind }
{ .kind }
{.	kind}
{.spec.*}
{.spec.containers.*}
{.spec.containers[*].*}
{.metadata.name.*}
{.*}
{*}
{.metadata.na\me}
{.日本}
{日本}
{_x}
{x1}
{$$.kind}
{@@.kind}
{.kind$.kind}
{.kind@.kind}
{.spec['containers'][0]['name']}
{.spec['containers[0]']}
{['metadata','kind']}
{['metadata']['name']}
{.['kind']}
{..['name']}
{.spec.containers[0]['ports'][1]['containerPort']}
`
  .split('\n')
  .filter(line => line !== '')

// Wildcards over objects follow Go's random map order; only objects with one key have one answer.
const unordered = /^\{(\.\*|\.spec\.\*|\.spec\.containers\[\*\]\.\*|\*)\}$/

const listTemplates = String.raw`
{.items[*].metadata.name}
{.items[0].metadata.name}
{.items[*].status.phase}
{.items[?(@.status.phase=="Running")].metadata.name}
{.items[?(@.status.phase!="Running")].metadata.name}
{.items[?(@.status)].metadata.name}
{range .items[*]}{.metadata.name}{"\t"}{.status.phase}{"\n"}{end}
{range .items[*]}{.metadata.name}{"\n"}{end}
{range .items[*]}{.metadata.name}{" "}{range .spec.containers[*]}{.image}{","}{end}{"\n"}{end}
{.items[*]['metadata.name', 'kind']}
{.items[-1].metadata.name}
{.items[:1].metadata.name}
{.items..image}
{.items[*].spec.containers[*].image}
{.items[0].spec.containers[?(@.name=="main")].ports[0].containerPort}
{range .items[?(@.kind=="Pod")]}{.metadata.name}{end}
count: {.items[*].metadata.name} end
`
  .split('\n')
  .filter(line => line !== '')

// evaluation order of "..": objects with one key at each level, so that Go's map order does not show
const recursiveOnly = /\.\./

export const cases = [
  ...templates
    .filter(t => !unordered.test(t))
    .flatMap(t => {
      const d = recursiveOnly.test(t) ? ordered(t) : pod
      return [
        { t, d },
        { t, d, allow: true },
      ]
    }),
  ...templates
    .filter(t => !unordered.test(t) && !recursiveOnly.test(t))
    .slice(0, 60)
    .map(t => ({ t, d: pod, allow: true, json: true })),
  ...listTemplates.flatMap(t =>
    [items, noItems].flatMap(d => [
      { t, d: singleKeyed(t, d) },
      { t, d: singleKeyed(t, d), allow: true },
    ]),
  ),
]

function ordered() {
  return {
    spec: {
      containers: [
        { name: 'main' },
        { ports: [{ containerPort: 80 }, { containerPort: 443 }] },
        { limits: { cpu: '1' } },
        { type: 'x' },
      ],
    },
  }
}

function singleKeyed(template, data) {
  return recursiveOnly.test(template) ? { items: [{ image: 'a' }, { spec: { image: 'b' } }, 'text'] } : data
}
