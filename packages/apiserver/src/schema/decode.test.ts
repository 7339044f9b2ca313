import { parseJsonStrict } from '@tiphys/kube'
import { describe, expect, it } from 'vitest'
import { builtinKindSchema } from '../builtin-schema.ts'
import { DecodeFailure, decode } from './decode.ts'
import type { Json, JsonObject, Schema } from './schema.ts'

function schemaOf(apiVersion: string, kind: string): Schema {
  const [version, group = ''] = apiVersion.split('/').reverse() as [string, string?]
  const schema = builtinKindSchema(group, version, kind)
  if (!schema) throw new Error(`${apiVersion} ${kind} is not built in`)
  return schema
}

const read = (apiVersion: string, kind: string, fields: JsonObject) =>
  decode({ apiVersion, kind, metadata: { name: 'a' }, ...fields }, schemaOf(apiVersion, kind))

function failure(apiVersion: string, kind: string, fields: JsonObject): string {
  try {
    read(apiVersion, kind, fields)
  } catch (thrown) {
    if (thrown instanceof DecodeFailure) return thrown.message
    throw thrown
  }
  return 'no failure'
}

const deployment = (spec: Json): [string, string, JsonObject] => ['apps/v1', 'Deployment', { spec }]
const podTemplate = (spec: JsonObject) => deployment({ template: { spec } })

// Every text on the right is what kube-apiserver 1.36.3 answered, behind `… cannot be handled as a …: `.
describe('says what does not fit in the words of the real server', () => {
  it.each<[[string, string, JsonObject], string]>([
    [
      ['v1', 'ConfigMap', { data: { a: 5 } }],
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      deployment({ replicas: 'x' }),
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: 2147483648 }),
      'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: 9223372036854775808 }),
      'json: cannot unmarshal number 9223372036854775808 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: true }),
      'json: cannot unmarshal bool into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: {} }),
      'json: cannot unmarshal object into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      deployment({ replicas: [] }),
      'json: cannot unmarshal array into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      podTemplate({ volumes: [{ name: 'x', emptyDir: 5 }], containers: [{ imagePullPolicy: 5 }] }),
      'json: cannot unmarshal number into Go struct field Volume.spec.template.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource',
    ],
    [
      podTemplate({ containers: [{ livenessProbe: { httpGet: 'x' }, resources: { limits: { cpu: 'abc' } } }] }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      ['apps/v1', 'Deployment', { metadata: { creationTimestamp: 5 }, spec: 5 }],
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      ['apps/v1', 'Deployment', { metadata: 'x', spec: { template: { spec: { containers: {} } } } }],
      'json: cannot unmarshal string into Go struct field Deployment.metadata of type v1.ObjectMeta',
    ],
    [['v1', 'ConfigMap', { binaryData: { x: '@@' } }], 'illegal base64 data at input byte 0'],
  ])('%j', (body, text) => {
    expect(failure(...body)).toBe(text)
  })

  it.each([
    ['{"spec":{"replicas":1.0}}', 'number 1.0 into Go struct field DeploymentSpec.spec.replicas of type int32'],
    ['{"spec":{"replicas":1e0}}', 'number 1e0 into Go struct field DeploymentSpec.spec.replicas of type int32'],
    [
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":2.0}}}}',
      'number 2.0 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      '{"spec":{"template":{"spec":{"containers":[{"ports":[{"containerPort":1},{"containerPort":8e1}]}]}}}}',
      'number 8e1 into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32',
    ],
  ])('also of %s, where only the text tells', (text, message) => {
    const { value, numberTexts } = parseJsonStrict(text)
    const reading = () => decode(value as Json, schemaOf('apps/v1', 'Deployment'), 'Strict', numberTexts)
    expect(reading).toThrow(`json: cannot unmarshal ${message}`)
  })

  it('and lets types that read themselves have the last word', () => {
    const ports = [{ targetPort: true }]
    expect(failure('v1', 'Service', { metadata: { name: 5 }, spec: { ports } })).toBe(
      'json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32',
    )
  })

  it.each([
    ['abc', 'parsing time "abc" as "2006-01-02T15:04:05Z07:00": cannot parse "abc" as "2006"'],
    ['2020-13-01T00:00:00Z', 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ['2020-01-32T00:00:00Z', 'parsing time "2020-01-32T00:00:00Z": day out of range'],
    [
      '2020-01-01T00:00:00',
      'parsing time "2020-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ],
    ['2020-01-01', 'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ['2020-01-01T00:00:00Zfoo', 'parsing time "2020-01-01T00:00:00Zfoo": extra text: "foo"'],
    [
      '2020-1-01T00:00:00Z',
      'parsing time "2020-1-01T00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse "1-01T00:00:00Z" as "01"',
    ],
    ['', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
  ])('time %j', (startTime, text) => {
    expect(failure('v1', 'Pod', { status: { startTime } })).toBe(text)
  })

  it.each([
    [
      '2020-01-01T00:00:00.5Z',
      'parsing time "2020-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    ],
    [
      '2020-01-01T01:00:00.123456789+01:00',
      'parsing time "2020-01-01T01:00:00.123456789+01:00" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "789+01:00" as "Z07:00"',
    ],
    [
      '2020-01-01T00:00:00Z',
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
  ])('microtime %j', (renewTime, text) => {
    expect(failure('coordination.k8s.io/v1', 'Lease', { spec: { renewTime } })).toBe(text)
  })
})

describe('unknown fields', () => {
  it('are dropped and named in the order of the document, and names are case-sensitive', () => {
    const { value, strictErrors } = read('v1', 'ConfigMap', {
      metadata: { name: 'a', foo: 1 },
      data: { a: 'b' },
      foo: { bar: 1 },
      Data: {},
    })
    expect(strictErrors).toEqual(['unknown field "metadata.foo"', 'unknown field "foo"', 'unknown field "Data"'])
    expect(value).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } })
  })

  it('have lists and maps in their path', () => {
    const containers = [{ name: 'x' }, { name: 'y', ports: [{ foo: 1 }] }]
    expect(read(...podTemplate({ containers })).strictErrors).toEqual([
      'unknown field "spec.template.spec.containers[1].ports[0].foo"',
    ])
  })

  it('are not looked for when the client asks to ignore them', () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, foo: 1 }
    expect(decode(body, schemaOf('v1', 'ConfigMap'), 'Ignore')).toEqual({
      value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
      unknownFields: [],
      strictErrors: [],
    })
  })

  it('may be called like parts of JavaScript objects', () => {
    const body = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"__proto__":{"x":1},"name":"a"},"data":{"__proto__":"y"}}',
    ) as JsonObject
    const { value, strictErrors } = decode(body, schemaOf('v1', 'ConfigMap'))
    expect(strictErrors).toEqual(['unknown field "metadata.__proto__"'])
    expect(JSON.stringify(value.data)).toBe('{"__proto__":"y"}')
    expect(Object.getPrototypeOf(value.metadata)).toBe(Object.prototype)
  })
})

describe('gives back what the real server would', () => {
  it('nulls in maps and lists become zero values, elsewhere they are gone', () => {
    const { value } = read('v1', 'ConfigMap', {
      metadata: { name: 'a', labels: null },
      data: { a: null },
      binaryData: { x: null, y: 'aGk\n=', z: '' },
      immutable: null,
    })
    expect(value).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: '' },
      binaryData: { x: '', y: 'aGk=', z: '' },
    })
  })

  it('empty optional values are gone, pointers and structs stay', () => {
    const { value } = read('apps/v1', 'Deployment', {
      metadata: { name: 'a', labels: {}, creationTimestamp: null },
      spec: {
        replicas: 0,
        template: {
          metadata: { creationTimestamp: null },
          spec: {
            hostNetwork: false,
            volumes: [],
            securityContext: {},
            containers: [
              { name: 'x', command: [null], env: [{ name: 'e', value: '' }], securityContext: { privileged: false } },
            ],
          },
        },
      },
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    })
    expect(value).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: {
        replicas: 0,
        selector: null,
        strategy: {},
        template: {
          metadata: {},
          spec: {
            securityContext: {},
            containers: [
              { name: 'x', command: [''], env: [{ name: 'e' }], resources: {}, securityContext: { privileged: false } },
            ],
          },
        },
      },
      status: {
        conditions: [{ type: 'Available', status: 'True', lastUpdateTime: null, lastTransitionTime: null }],
      },
    })
  })

  it.each([[{ rules: [] }], [{ rules: null }], [{}]])('a required list without elements is null: %j', fields => {
    expect(read('rbac.authorization.k8s.io/v1', 'Role', fields).value).toHaveProperty('rules', null)
  })

  it('times are in UTC, to the second or the microsecond', () => {
    const startTime = (text: string) =>
      (read('v1', 'Pod', { status: { startTime: text } }).value.status as JsonObject).startTime
    expect(startTime('2020-01-01T00:00:00.9Z')).toBe('2020-01-01T00:00:00Z')
    expect(startTime('2020-01-01T01:30:00+01:00')).toBe('2020-01-01T00:30:00Z')
    expect(startTime('2020-01-01T1:00:00Z')).toBe('2020-01-01T01:00:00Z')
    const renewTime = '2020-01-01T01:00:00.123456+01:00'
    expect(read('coordination.k8s.io/v1', 'Lease', { spec: { renewTime } }).value.spec).toEqual({
      renewTime: '2020-01-01T00:00:00.123456Z',
    })
  })

  it('quantities are canonical, also when they are written as numbers', () => {
    const hard = { a: '1000m', b: 0.5, c: '1024Mi', d: '1.5Gi', e: '100e3', f: null, g: ' 2 ' }
    expect(read('v1', 'ResourceQuota', { spec: { hard } }).value.spec).toEqual({
      hard: { a: '1', b: '500m', c: '1Gi', d: '1536Mi', e: '100e3', f: '0', g: '2' },
    })
  })

  it('bytes may be a list of numbers', () => {
    expect(read('v1', 'Secret', { data: { a: [104, 105, null] } }).value.data).toEqual({ a: 'aGkA' })
  })

  it('whole numbers beyond 2^53 stay exact', () => {
    const spec = { activeDeadlineSeconds: 9007199254740993n, template: {} }
    expect(read('batch/v1', 'Job', { spec }).value.spec).toMatchObject({ activeDeadlineSeconds: 9007199254740993n })
  })

  it('reads a schema in all its forms, and is not strict inside the forms that read themselves', () => {
    const { value, strictErrors } = read('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                foo: 1,
                properties: {
                  a: { items: { type: 'string', foo: 1 } },
                  b: { additionalProperties: true, default: { any: [null] } },
                },
              },
            },
          },
        ],
      },
    })
    expect(strictErrors).toEqual(['unknown field "spec.versions[0].schema.openAPIV3Schema.foo"'])
    expect(value.spec).toMatchObject({
      versions: [
        {
          served: false,
          storage: false,
          schema: {
            openAPIV3Schema: {
              properties: {
                a: { items: { type: 'string' } },
                b: { additionalProperties: true, default: { any: [null] } },
              },
            },
          },
        },
      ],
    })
  })
})
