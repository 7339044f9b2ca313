import { apiVersionOf, type Resource, type Subresource } from '../registry/resource.ts'
import { META } from './builtin-definitions.ts'
import { parameter } from './parameters.ts'
import type { Operation } from './path-item.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const CUSTOM_FORMATS = ['application/json', 'application/yaml']
export const OBJECT_FORMATS = ['application/json', PROTOBUF, 'application/yaml']
const STREAM_FORMATS = [
  'application/json',
  'application/json;stream=watch',
  PROTOBUF,
  `${PROTOBUF};stream=watch`,
  'application/yaml',
]
const CUSTOM_PATCHES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']
const BUILTIN_PATCHES = [...CUSTOM_PATCHES, 'application/strategic-merge-patch+json']

const LIST = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
  'watch',
]
const DELETE = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
]
const DELETE_COLLECTION = [...LIST.filter(name => name !== 'allowWatchBookmarks' && name !== 'watch'), ...DELETE]
const WRITE = ['dryRun', 'fieldManager', 'fieldValidation']

/** Most deletions answer a Status; these answer the deleted object. */
const ANSWERS_DELETED = new Set([
  'CSIDriver',
  'CSINode',
  'DeviceClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'ResourceQuota',
  'ResourceSlice',
  'Service',
  'ServiceAccount',
  'StorageClass',
  'VolumeAttachment',
  'VolumeAttributesClass',
])

/** What a subresource that is connected to takes. */
const CONNECT: Record<string, readonly string[]> = {
  attach: ['container', 'stderr', 'stdin', 'stdout', 'tty'],
  exec: ['command', 'container', 'stderr', 'stdin', 'stdout', 'tty'],
  portforward: ['ports'],
  proxy: ['path'],
}
const LOG = [
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'pretty',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
]

/** `rbac.authorization.k8s.io` → `rbacAuthorization`. */
export function groupTag(group: string): string {
  if (group === '') return 'core'
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[.-]/)
  return first + rest.map(capital).join('')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export interface KindNames {
  object: string
  list: string
  /** The definition of another kind that a subresource takes or answers. */
  of: (kind: Subresource['kind']) => string | undefined
}

/** The paths of a resource with the operations on each. */
export function resourceOperations(resource: Resource, names: KindNames): [path: string, operations: Operation[]][] {
  return new ResourcePaths(resource, names).all()
}

class ResourcePaths {
  readonly #resource: Resource
  readonly #names: KindNames
  readonly #paths: [string, Operation[]][] = []

  constructor(resource: Resource, names: KindNames) {
    this.#resource = resource
    this.#names = names
  }

  all(): [string, Operation[]][] {
    const { namespaced, name, group, subresources } = this.#resource
    const base = `${group === '' ? '/api' : '/apis'}/${apiVersionOf(this.#resource)}`
    const place = namespaced ? '/namespaces/{namespace}' : ''
    const collection = `${base}${place}/${name}`
    if (namespaced && this.#can('list')) this.#add(`${base}/${name}`, [this.#listOfAll()])
    this.#add(collection, this.#collection())
    this.#add(`${collection}/{name}`, this.#item())
    for (const subresource of subresources.values()) this.#addSubresource(`${collection}/{name}`, subresource)
    if (!this.#resource.isCustom && this.#can('watch')) this.#addWatches(`${base}/watch`, place)
    return this.#paths
  }

  #can(verb: string): boolean {
    return this.#resource.verbs.includes(verb)
  }

  #add(path: string, operations: Operation[]): void {
    if (operations.length > 0) this.#paths.push([path, operations])
  }

  #addWatches(base: string, place: string): void {
    const { namespaced, name } = this.#resource
    const watch = (action: string, subject: string, inPath: string[]): Operation => ({
      ...this.#operation('get', action, `watch${this.#prefix}${subject}`, [...inPath, ...LIST]),
      formats: STREAM_FORMATS,
      answers: { 200: `${META}WatchEvent` },
    })
    const subject = this.#subject('')
    if (namespaced) this.#add(`${base}/${name}`, [watch('watchlist', `${this.#resource.kind}ListForAllNamespaces`, [])])
    const inNamespace = namespaced ? ['namespace'] : []
    if (this.#can('list')) this.#add(`${base}${place}/${name}`, [watch('watchlist', `${subject}List`, inNamespace)])
    if (this.#can('get'))
      this.#add(`${base}${place}/${name}/{name}`, [watch('watch', subject, ['name', ...inNamespace])])
  }

  get #prefix(): string {
    const { group, version } = this.#resource
    return capital(groupTag(group)) + capital(version)
  }

  #subject(suffix: string): string {
    return `${this.#resource.namespaced ? 'Namespaced' : ''}${this.#resource.kind}${suffix}`
  }

  #operation(method: string, action: string, id: string, parameters: readonly string[]): Operation {
    const { group, version, kind, isCustom } = this.#resource
    return {
      method,
      action,
      id,
      tag: `${groupTag(group)}_${version}`,
      kind: { group, version, kind },
      parameters: [...parameters, 'pretty'].map(parameter),
      formats: isCustom ? CUSTOM_FORMATS : OBJECT_FORMATS,
      answers: { 200: this.#names.object },
    }
  }

  #listOfAll(): Operation {
    const operation = this.#operation('get', 'list', `list${this.#prefix}${this.#resource.kind}ForAllNamespaces`, LIST)
    return this.#asList(operation)
  }

  #asList(operation: Operation): Operation {
    const formats = this.#resource.isCustom ? CUSTOM_FORMATS : STREAM_FORMATS
    return { ...operation, formats, answers: { 200: this.#names.list } }
  }

  #collection(): Operation[] {
    const inPath = this.#resource.namespaced ? ['namespace'] : []
    const subject = this.#subject('')
    const { isCustom } = this.#resource
    const operations: Operation[] = []
    if (this.#can('list'))
      operations.push(
        this.#asList(this.#operation('get', 'list', `list${this.#prefix}${subject}`, [...inPath, ...LIST])),
      )
    if (this.#can('create'))
      operations.push(this.#create(`create${this.#prefix}${subject}`, inPath, this.#names.object))
    if (this.#can('deletecollection')) {
      const taken = isCustom ? LIST : DELETE_COLLECTION
      operations.push({
        ...this.#operation('delete', 'deletecollection', `delete${this.#prefix}Collection${subject}`, [
          ...inPath,
          ...taken,
        ]),
        ...(isCustom ? {} : { body: this.#body(`${META}DeleteOptions`, false) }),
        answers: { 200: `${META}Status` },
      })
    }
    return operations
  }

  #body(type: string, required: boolean): NonNullable<Operation['body']> {
    return { type, required, formats: this.#resource.isCustom ? CUSTOM_FORMATS : ['*/*'] }
  }

  #create(id: string, inPath: readonly string[], type: string): Operation {
    return {
      ...this.#operation('post', 'post', id, [...inPath, ...WRITE]),
      body: this.#body(type, true),
      answers: { 200: type, 201: type, 202: type },
    }
  }

  get #inItem(): string[] {
    return this.#resource.namespaced ? ['name', 'namespace'] : ['name']
  }

  #item(): Operation[] {
    const operations = this.#readAndWrite(this.#resource.verbs, '', this.#names.object)
    if (this.#can('delete')) {
      const { kind, isCustom } = this.#resource
      const answer = ANSWERS_DELETED.has(kind) && !isCustom ? this.#names.object : `${META}Status`
      operations.push({
        ...this.#operation('delete', 'delete', `delete${this.#prefix}${this.#subject('')}`, [
          ...this.#inItem,
          ...DELETE,
        ]),
        body: this.#body(`${META}DeleteOptions`, false),
        answers: { 200: answer, 202: answer },
      })
    }
    return operations
  }

  #readAndWrite(verbs: readonly string[], suffix: string, type: string): Operation[] {
    const { isCustom } = this.#resource
    const subject = `${this.#prefix}${this.#subject(suffix)}`
    const operations: Operation[] = []
    if (verbs.includes('get')) {
      const taken = isCustom ? ['resourceVersion'] : []
      operations.push({
        ...this.#operation('get', 'get', `read${subject}`, [...this.#inItem, ...taken]),
        answers: { 200: type },
      })
    }
    if (verbs.includes('update'))
      operations.push({
        ...this.#operation('put', 'put', `replace${subject}`, [...this.#inItem, ...WRITE]),
        body: this.#body(type, true),
        answers: { 200: type, 201: type },
      })
    if (verbs.includes('patch'))
      operations.push({
        ...this.#operation('patch', 'patch', `patch${subject}`, [...this.#inItem, ...WRITE, 'force']),
        body: { type: `${META}Patch`, required: true, formats: isCustom ? CUSTOM_PATCHES : BUILTIN_PATCHES },
        answers: isCustom ? { 200: type } : { 200: type, 201: type },
      })
    return operations
  }

  #addSubresource(item: string, { name, kind, verbs }: Subresource): void {
    const path = `${item}/${name}`
    const suffix = capital(name)
    if (CONNECT[name]) {
      this.#add(path, this.#connect(CONNECT[name], kind, verbs, suffix, []))
      if (name === 'proxy')
        this.#add(`${path}/{path}`, this.#connect(CONNECT.proxy ?? [], kind, verbs, `${suffix}WithPath`, ['{path}']))
      return
    }
    if (name === 'log') {
      const log = this.#operation('get', 'get', `read${this.#prefix}${this.#subject('Log')}`, [...this.#inItem, ...LOG])
      this.#add(path, [{ ...log, formats: [...OBJECT_FORMATS, 'text/plain'], answers: { 200: undefined } }])
      return
    }
    const type = this.#names.of(kind) ?? this.#names.object
    const operations = this.#readAndWrite(verbs, suffix, type)
    if (verbs.includes('create'))
      operations.push(this.#create(`create${this.#prefix}${this.#subject(suffix)}`, this.#inItem, type))
    this.#add(
      path,
      operations.map(operation => ({ ...operation, kind })),
    )
  }

  #connect(
    taken: readonly string[],
    kind: Subresource['kind'],
    verbs: readonly string[],
    suffix: string,
    rest: readonly string[],
  ): Operation[] {
    return CONNECT_METHODS.filter(({ verb }) => verbs.includes(verb)).map(({ method }) => ({
      method,
      action: 'connect',
      id: `connect${this.#prefix}${capital(method)}${this.#subject(suffix)}`,
      tag: `${groupTag(this.#resource.group)}_${this.#resource.version}`,
      kind,
      parameters: [...this.#inItem, ...rest, ...taken].map(parameter),
      formats: ['*/*'],
      answers: { 200: undefined },
    }))
  }
}

/** Discovery names these by verbs; the methods that only proxies know go with reading. */
const CONNECT_METHODS = [
  { method: 'get', verb: 'get' },
  { method: 'put', verb: 'update' },
  { method: 'post', verb: 'create' },
  { method: 'delete', verb: 'delete' },
  { method: 'options', verb: 'delete' },
  { method: 'head', verb: 'delete' },
  { method: 'patch', verb: 'patch' },
]
