import type { KubeObject } from '@tiphys/kube'
import {
  type Fields,
  listAt,
  numberAt,
  objectAt,
  optionalNumberAt,
  optionalObjectAt,
  optionalTextAt,
  textAt,
  textsAt,
} from '../fields.ts'
import { formatLabelSelector } from '../label-selector-validation.ts'
import { firstFew, loadBalancerAddresses } from './cells.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

const spec = (object: KubeObject) => objectAt(object, 'spec')
const status = (object: KubeObject) => objectAt(object, 'status')

export const ingressColumns = table(
  nameColumn,
  column('Class', object => optionalTextAt(spec(object), 'ingressClassName') ?? '<none>'),
  column('Hosts', hosts),
  column('Address', object => loadBalancerAddresses(objectAt(status(object), 'loadBalancer')).join(',')),
  column('Ports', object => (listAt(spec(object), 'tls').length > 0 ? '80, 443' : '80')),
  ageColumn,
)

function hosts(ingress: KubeObject): string {
  const rules = listAt(spec(ingress), 'rules')
  const names = rules.map(rule => textAt(rule, 'host')).filter(host => host !== '')
  if (names.length === 0) return '*'
  return names.length > 3 || (names.length === 3 && rules.length > 3)
    ? firstFew(names, 3, rules.length)
    : names.join(',')
}

const isDefault = (object: KubeObject) =>
  object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'

export const ingressClassColumns = table(
  column('Name', object => `${object.metadata.name ?? ''}${isDefault(object) ? ' (default)' : ''}`, { format: 'name' }),
  column('Controller', object => textAt(spec(object), 'controller')),
  column('Parameters', parameters),
  ageColumn,
)

function parameters(ingressClass: KubeObject): string {
  const reference = optionalObjectAt(spec(ingressClass), 'parameters')
  if (reference === undefined) return '<none>'
  const group = optionalTextAt(reference, 'apiGroup')
  const kind = textAt(reference, 'kind')
  return `${group === undefined ? kind : `${kind}.${group}`}/${textAt(reference, 'name')}`
}

export const networkPolicyColumns = table(
  nameColumn,
  column('Pod-Selector', object => formatLabelSelector(objectAt(spec(object), 'podSelector'))),
  ageColumn,
)

export const endpointSliceColumns = table(
  nameColumn,
  column('AddressType', object => textAt(object, 'addressType')),
  column('Ports', object => slicePorts(listAt(object, 'ports'))),
  column('Endpoints', object => sliceEndpoints(listAt(object, 'endpoints'))),
  ageColumn,
)

function slicePorts(ports: Fields[]): string {
  if (ports.length === 0) return '<unset>'
  const texts = ports.map(port => {
    const number = optionalNumberAt(port, 'port')
    const name = textAt(port, 'name')
    return number === undefined ? (name === '' ? '*' : name) : String(number)
  })
  return firstFew(texts, 3, texts.length)
}

function sliceEndpoints(endpoints: Fields[]): string {
  if (endpoints.length === 0) return '<unset>'
  const addresses = endpoints.flatMap(endpoint => textsAt(endpoint, 'addresses'))
  return firstFew(addresses, 3, addresses.length)
}

export const serviceCidrColumns = table(
  nameColumn,
  column('CIDRs', object => textsAt(spec(object), 'cidrs').join(',')),
  ageColumn,
)

export const ipAddressColumns = table(nameColumn, column('ParentRef', parentReference))

function parentReference(address: KubeObject): string {
  const parent = optionalObjectAt(spec(address), 'parentRef')
  if (parent === undefined) return '<none>'
  const group = textAt(parent, 'group')
  const resource = textAt(parent, 'resource')
  const parts = [(group === '' ? resource : `${resource}.${group}`).toLowerCase()]
  if (textAt(parent, 'namespace') !== '') parts.push(textAt(parent, 'namespace'))
  return [...parts, textAt(parent, 'name')].join('/')
}

export const flowSchemaColumns = table(
  nameColumn,
  column('PriorityLevel', object => textAt(objectAt(spec(object), 'priorityLevelConfiguration'), 'name')),
  column('MatchingPrecedence', object => numberAt(spec(object), 'matchingPrecedence')),
  column('DistinguisherMethod', object => textAt(objectAt(spec(object), 'distinguisherMethod'), 'type') || '<none>'),
  ageColumn,
  column('MissingPL', object => {
    const dangling = listAt(status(object), 'conditions').find(each => textAt(each, 'type') === 'Dangling')
    return dangling === undefined ? '?' : textAt(dangling, 'status')
  }),
)

const limited = (object: KubeObject) => optionalObjectAt(spec(object), 'limited')
const queuing = (object: KubeObject) => optionalObjectAt(objectAt(limited(object), 'limitResponse'), 'queuing')

export const priorityLevelConfigurationColumns = table(
  nameColumn,
  column('Type', object => textAt(spec(object), 'type')),
  column(
    'NominalConcurrencyShares',
    object => optionalNumberAt(limited(object), 'nominalConcurrencyShares') ?? '<none>',
  ),
  column('Queues', object => optionalNumberAt(queuing(object), 'queues') ?? '<none>'),
  column('HandSize', object => optionalNumberAt(queuing(object), 'handSize') ?? '<none>'),
  column('QueueLengthLimit', object => optionalNumberAt(queuing(object), 'queueLengthLimit') ?? '<none>'),
  ageColumn,
)
