import type { KubeObject } from '@tiphys/kube'
import { type Fields, flagAt, listAt, numberAt, objectAt, optionalObjectAt, optionalTextAt, textAt } from '../fields.ts'
import { formatLabelSelector } from '../label-selector-validation.ts'
import { ageColumn, column, nameColumn, table } from './columns.ts'

const spec = (object: KubeObject) => objectAt(object, 'spec')

const subjects = (binding: KubeObject, kind: string, text: (subject: Fields) => string) =>
  listAt(binding, 'subjects')
    .filter(subject => textAt(subject, 'kind') === kind)
    .map(text)
    .join(', ')
const subjectName = (subject: Fields) => textAt(subject, 'name')
const accountName = (subject: Fields) => `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}`

export const roleBindingColumns = table(
  nameColumn,
  column('Role', object => {
    const reference = objectAt(object, 'roleRef')
    return `${textAt(reference, 'kind')}/${textAt(reference, 'name')}`
  }),
  ageColumn,
  column('Users', object => subjects(object, 'User', subjectName), { wide: true }),
  column('Groups', object => subjects(object, 'Group', subjectName), { wide: true }),
  column('ServiceAccounts', object => subjects(object, 'ServiceAccount', accountName), { wide: true }),
)

export const priorityClassColumns = table(
  nameColumn,
  column('Value', object => numberAt(object, 'value'), { type: 'integer' }),
  column('Global-Default', object => flagAt(object, 'globalDefault'), { type: 'boolean' }),
  ageColumn,
  column('PreemptionPolicy', object => optionalTextAt(object, 'preemptionPolicy') ?? ''),
)

export const runtimeClassColumns = table(
  nameColumn,
  column('Handler', object => textAt(object, 'handler')),
  ageColumn,
)

export const webhookConfigurationColumns = table(
  nameColumn,
  column('Webhooks', object => listAt(object, 'webhooks').length, { type: 'integer' }),
  ageColumn,
)

const parameterKindColumn = column('ParamKind', object => {
  const kind = optionalObjectAt(spec(object), 'paramKind')
  return kind === undefined ? '<unset>' : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`
})

export const validatingAdmissionPolicyColumns = table(
  nameColumn,
  column('Validations', object => listAt(spec(object), 'validations').length, { type: 'integer' }),
  parameterKindColumn,
  ageColumn,
)

export const mutatingAdmissionPolicyColumns = table(
  nameColumn,
  column('Mutations', object => listAt(spec(object), 'mutations').length, { type: 'integer' }),
  parameterKindColumn,
  ageColumn,
)

export const admissionPolicyBindingColumns = table(
  nameColumn,
  column('PolicyName', object => textAt(spec(object), 'policyName')),
  column('ParamRef', parameterReference),
  ageColumn,
)

function parameterReference(binding: KubeObject): string {
  const reference = optionalObjectAt(spec(binding), 'paramRef')
  if (reference === undefined) return '<unset>'
  const name = textAt(reference, 'name')
  if (name !== '') return `${textAt(reference, 'namespace') || '*'}/${name}`
  const selector = optionalObjectAt(reference, 'selector')
  return selector === undefined ? '<unset>' : formatLabelSelector(selector)
}

export const apiServiceColumns = table(
  nameColumn,
  column('Service', object => {
    const service = optionalObjectAt(spec(object), 'service')
    return service === undefined ? 'Local' : `${textAt(service, 'namespace')}/${textAt(service, 'name')}`
  }),
  column('Available', object => {
    const condition = listAt(objectAt(object, 'status'), 'conditions').find(
      each => textAt(each, 'type') === 'Available',
    )
    if (condition === undefined) return 'Unknown'
    const word = textAt(condition, 'status')
    return word === 'True' ? word : `${word} (${textAt(condition, 'reason')})`
  }),
  ageColumn,
)

export const customResourceDefinitionColumns = table(
  nameColumn,
  column('Created At', object => object.metadata.creationTimestamp ?? null, { type: 'date' }),
)
