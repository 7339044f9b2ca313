import { goQuote } from '@tiphys/kube'
import { byteLength, checkLabel1035, checkSubdomain } from '../builtin/names.ts'
import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  index,
  invalid,
  key,
  notSupported,
  required,
  tooMany,
} from '../field-error.ts'
import { jsonEqual } from '../json-value.ts'
import { isRequestUri } from '../schema/request-uri.ts'
import type { Schema } from '../schema/schema.ts'
import { structuralObstacle } from '../schema/structural.ts'
import type {
  CrdConversion,
  CrdNames,
  CrdPrinterColumn,
  CrdSubresources,
  CrdVersion,
  CustomResourceDefinition,
} from './crd.ts'
import { isEstablished } from './crd.ts'
import { resolveFieldPath } from './field-path.ts'
import { goVersions, hoistCommonParts } from './internal-form.ts'
import { validateCrdSchema } from './schema-validation.ts'
import { validateWebhookService, validateWebhookUrl } from './webhook-client.ts'

const FIELD_IS_IMMUTABLE = 'field is immutable'
const MOST_SELECTABLE_FIELDS = 8

/** Everything that must hold for a new CustomResourceDefinition beyond its metadata. */
export function validateCrd(crd: CustomResourceDefinition): FieldError[] {
  return [...validateName(crd), ...validateParts(crd, undefined)]
}

export function validateCrdUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const errors = validateParts(crd, old)
  const immutable = (field: string, value: unknown, before: unknown) => {
    if (value !== before) errors.push(invalid(field, value, FIELD_IS_IMMUTABLE))
  }
  if (isEstablished(old)) {
    immutable('spec.scope', crd.spec.scope, old.spec.scope)
    immutable('spec.names.kind', crd.spec.names.kind, old.spec.names.kind)
  }
  immutable('spec.group', crd.spec.group, old.spec.group)
  immutable('spec.names.plural', crd.spec.names.plural, old.spec.names.plural)
  return errors
}

export function validateCrdStatus(crd: CustomResourceDefinition): FieldError[] {
  const names = crd.status?.acceptedNames
  return names ? validateNames(names, 'status.acceptedNames') : []
}

function validateParts(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  return [
    ...validateSpec(crd, old),
    ...validateCrdStatus(crd),
    ...validateStoredVersions(crd),
    ...validateApproval(crd, old),
    ...validatePreserveUnknownFields(crd, old),
  ]
}

function validateName({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const { name = '' } = metadata
  if (name === '' || name === `${spec.names.plural}.${spec.group}`) return []
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]
}

function validateSpec({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  const errors: FieldError[] = []
  errors.push(...validateGroup(spec.group))
  errors.push(...validateChoice('spec.scope', spec.scope, ['Cluster', 'Namespaced']))
  const hoisted = hoistCommonParts(spec)
  for (const [i, version] of hoisted.versions.entries()) {
    if (hoisted.validation?.openAPIV3Schema || version.schema?.openAPIV3Schema) continue
    errors.push(required(`spec.versions[${i}].schema.openAPIV3Schema`))
  }
  const isUnchanged = (version: string) =>
    old !== undefined && jsonEqual(schemaOf(spec.versions, version), schemaOf(old.spec.versions, version))
  for (const [i, version] of hoisted.versions.entries()) {
    errors.push(...validateVersion(version, hoisted.subresources, `spec.versions[${i}]`, isUnchanged(version.name)))
  }
  errors.push(...validateVersionList(hoisted.versions))
  errors.push(...validateNamesPresent(spec.names), ...validateNames(spec.names, 'spec.names'))
  const hasAnyStatus = spec.versions.some(version => version.subresources?.status !== undefined)
  if (hoisted.validation?.openAPIV3Schema) {
    const options = { hasStatus: hasAnyStatus, isUnchanged: isUnchanged(spec.versions[0]?.name ?? '') }
    errors.push(...validateCrdSchema(hoisted.validation.openAPIV3Schema, 'spec.validation', options))
  }
  errors.push(...validateSubresources(hoisted.subresources, 'spec.subresources'))
  errors.push(...validateColumns(hoisted.columns, 'spec.additionalPrinterColumns'))
  if (hoisted.selectableFields.length > 0) {
    const schema = hoisted.validation?.openAPIV3Schema
    if (schema) errors.push(...validateSelectableFields(hoisted.selectableFields, schema, 'spec.selectableFields'))
    else errors.push(invalid('spec.selectableFields', '', 'may only be set when validations.schema is included'))
  }
  errors.push(...validateConversion(spec.conversion, 'spec.conversion'))
  return errors
}

const schemaOf = (versions: readonly CrdVersion[], name: string): unknown =>
  versions.find(version => version.name === name)?.schema ?? null

function validateGroup(group: string): FieldError[] {
  if (group === '') return [required('spec.group')]
  const reasons = checkSubdomain(group)
  if (reasons.length > 0) return [invalid('spec.group', group, reasons.join(','))]
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')]
}

function validateChoice(field: string, value: string, accepted: readonly string[]): FieldError[] {
  if (value === '') return [required(field)]
  return accepted.includes(value) ? [] : [notSupported(field, value, accepted)]
}

function validateVersion(
  version: CrdVersion,
  common: CrdSubresources | undefined,
  path: string,
  isUnchanged: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  const nameReasons = checkLabel1035(version.name)
  if (nameReasons.length > 0) errors.push(invalid(child(path, 'name'), version.name, nameReasons.join(',')))
  for (const reason of deprecationReasons(version)) {
    errors.push(invalid(child(path, 'deprecationWarning'), version.deprecationWarning, reason))
  }
  const schema = version.schema?.openAPIV3Schema
  const hasStatus = (version.subresources ?? common)?.status !== undefined
  if (schema) errors.push(...validateCrdSchema(schema, child(path, 'schema'), { hasStatus, isUnchanged }))
  errors.push(...validateSubresources(version.subresources, child(path, 'subresources')))
  errors.push(...validateColumns(version.additionalPrinterColumns ?? [], child(path, 'additionalPrinterColumns')))
  const selectable = version.selectableFields ?? []
  if (selectable.length > 0) {
    const at = child(path, 'selectableFields')
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included'
    errors.push(...(schema ? validateSelectableFields(selectable, schema, at) : [invalid(at, '', detail)]))
  }
  return errors
}

// Letters, marks, numbers, punctuation, symbols and the plain space.
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

function deprecationReasons({ deprecated, deprecationWarning }: CrdVersion): string[] {
  if (deprecationWarning === undefined) return []
  if (!deprecated) return ['can only be set for deprecated versions']
  const reasons: string[] = []
  if (byteLength(deprecationWarning) > 256) reasons.push('must be <= 256 characters long')
  if (deprecationWarning === '') reasons.push('must not be an empty string')
  let position = 0
  for (const char of deprecationWarning) {
    if (!PRINTABLE.test(char)) {
      reasons.push(`must only contain printable UTF-8 characters; non-printable character found at index ${position}`)
      break
    }
    position += byteLength(char)
  }
  return reasons
}

function validateVersionList(versions: readonly CrdVersion[]): FieldError[] {
  const errors: FieldError[] = []
  const names = versions.map(version => version.name)
  if (new Set(names).size < names.length) {
    errors.push(invalid('spec.versions', goVersions(versions), 'must contain unique version names'))
  }
  if (versions.filter(version => version.storage).length !== 1) {
    const detail = 'must have exactly one version marked as storage version'
    errors.push(invalid('spec.versions', goVersions(versions), detail))
  }
  const first = names[0] ?? ''
  const reasons = first === '' ? [] : checkLabel1035(first)
  if (reasons.length > 0) errors.push(invalid('spec.version', first, reasons.join(',')))
  return errors
}

function validateNamesPresent(names: CrdNames): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter(name => (names[name] ?? '') === '')
    .map(name => required(`spec.names.${name}`))
}

function validateNames(names: CrdNames, path: string): FieldError[] {
  const errors: FieldError[] = []
  const check = (field: string, value: string, prefix = '') => {
    const reasons = value === '' ? [] : checkLabel1035(prefix === '' ? value : value.toLowerCase())
    if (reasons.length > 0) errors.push(invalid(field, value, `${prefix}${reasons.join(',')}`))
  }
  const mixedCase = 'may have mixed case, but should otherwise match: '
  check(child(path, 'plural'), names.plural)
  check(child(path, 'singular'), names.singular ?? '')
  check(child(path, 'kind'), names.kind, mixedCase)
  check(child(path, 'listKind'), names.listKind ?? '', mixedCase)
  for (const list of ['shortNames', 'categories'] as const) {
    for (const [i, name] of (names[list] ?? []).entries()) {
      const reasons = checkLabel1035(name)
      if (reasons.length > 0) errors.push(invalid(index(child(path, list), i), name, reasons.join(',')))
    }
  }
  if (names.kind !== '' && names.kind === names.listKind) {
    errors.push(invalid(child(path, 'listKind'), names.listKind, 'kind and listKind may not be the same'))
  }
  return errors
}

function validateSubresources(subresources: CrdSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale
  if (!scale) return []
  const errors: FieldError[] = []
  const check = (name: keyof typeof scale, roots: readonly string[], where: string) => {
    const value = scale[name] ?? ''
    const field = child(path, `scale.${name}`)
    if (value === '') {
      if (name !== 'labelSelectorPath') errors.push(required(field))
    } else if (!value.startsWith('.')) errors.push(invalid(field, value, 'must be a simple json path starting with .'))
    else if (!roots.some(root => value.startsWith(`.${root}.`))) {
      errors.push(invalid(field, value, `should be a json path under ${where}`))
    }
  }
  check('specReplicasPath', ['spec'], '.spec')
  check('statusReplicasPath', ['status'], '.status')
  check('labelSelectorPath', ['spec', 'status'], 'either .spec or .status')
  return errors
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function validateColumns(columns: readonly CrdPrinterColumn[], path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [i, { format = '', jsonPath, name, type }] of columns.entries()) {
    const at = index(path, i)
    if (name === '') errors.push(required(child(at, 'name')))
    const typeDetail = `must be one of ${COLUMN_TYPES.join(',')}`
    if (type === '') errors.push(required(child(at, 'type'), typeDetail))
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(child(at, 'type'), type, typeDetail))
    if (format !== '' && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalid(child(at, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`))
    }
    if (jsonPath === '') errors.push(required(child(at, 'JSONPath')))
    else if (!jsonPath.startsWith('.')) {
      errors.push(invalid(child(at, 'JSONPath'), jsonPath, 'must be a simple json path starting with .'))
    }
  }
  return errors
}

function validateSelectableFields(fields: readonly { jsonPath: string }[], schema: Schema, path: string): FieldError[] {
  const obstacle = structuralObstacle(schema)
  if (obstacle !== undefined) return [invalid('spec.schema.openAPIV3Schema', '', obstacle)]
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = child(index(path, i), 'jsonPath')
    if (jsonPath === '') {
      errors.push(required(at))
      continue
    }
    const target = resolveFieldPath(jsonPath, schema, { allowBrackets: false })
    if ('error' in target) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${target.error}`))
      continue
    }
    if (target.path.split(/[.[]/)[0] === 'metadata') {
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'))
    }
    if (!['string', 'boolean', 'integer'].includes(target.schema?.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, jsonPath, detail))
    }
    if (seen.has(target.path)) errors.push(duplicate(at, jsonPath))
    seen.add(target.path)
  }
  if (seen.size > MOST_SELECTABLE_FIELDS) errors.push(tooMany(path, seen.size, MOST_SELECTABLE_FIELDS))
  return errors
}

function validateConversion(conversion: CrdConversion | undefined, path: string): FieldError[] {
  if (!conversion) return []
  const { strategy, webhook } = conversion
  const errors = validateChoice(child(path, 'strategy'), strategy, ['None', 'Webhook'])
  const clientPath = child(path, 'webhookClientConfig')
  const versionsPath = child(path, 'conversionReviewVersions')
  const client = webhook?.clientConfig
  const versions = webhook?.conversionReviewVersions ?? []
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook'
    if (client) errors.push(forbidden(clientPath, detail))
    if (versions.length > 0) errors.push(forbidden(versionsPath, detail))
    return errors
  }
  if (!client) errors.push(required(clientPath, 'required when strategy is set to Webhook'))
  else if ((client.url === undefined) === (client.service === undefined)) {
    errors.push(required(clientPath, 'exactly one of url or service is required'))
  } else if (client.url !== undefined) errors.push(...validateWebhookUrl(client.url, child(clientPath, 'url')))
  else if (client.service) errors.push(...validateWebhookService(client.service, child(clientPath, 'service')))
  errors.push(...validateReviewVersions(versions, versionsPath))
  return errors
}

const REVIEW_VERSIONS = ['v1', 'v1beta1']

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [required(path)]
  const errors: FieldError[] = []
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) errors.push(invalid(index(path, i), version, 'duplicate version'))
    else for (const reason of checkLabel1035(version)) errors.push(invalid(index(path, i), version, reason))
  }
  if (!versions.some(version => REVIEW_VERSIONS.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`))
  }
  return errors
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition): FieldError[] {
  const field = 'status.storedVersions'
  const stored = status?.storedVersions ?? []
  if (stored.length === 0) return [invalid(field, null, 'must have at least one stored version')]
  const errors: FieldError[] = []
  for (const version of spec.versions) {
    if (version.storage && !stored.includes(version.name)) {
      errors.push(invalid(field, stored, `must have the storage version ${version.name}`))
    }
  }
  for (const [i, name] of stored.entries()) {
    if (spec.versions.some(version => version.name === name)) continue
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.push(invalid(index(field, i), name, detail))
  }
  return errors
}

const APPROVAL = 'api-approved.kubernetes.io'
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111'

type Approval = 'missing' | 'bypassed' | 'approved' | 'invalid'

function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const annotation = metadata.annotations?.[APPROVAL] ?? ''
  if (annotation === '') return 'missing'
  if (annotation.startsWith('unapproved')) return 'bypassed'
  return isRequestUri(annotation) && /^[A-Za-z][A-Za-z0-9+\-.]*:\/\/[^/]/.test(annotation) ? 'approved' : 'invalid'
}

/** Groups of the Kubernetes community need an approval. */
function validateApproval(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(crd.spec.group)) return []
  const approval = approvalOf(crd)
  if (old && approvalOf(old) === approval) return []
  const field = key('metadata.annotations', APPROVAL)
  const rule = `protected groups must have approval annotation ${goQuote(APPROVAL)}`
  if (approval === 'missing') return [required(field, `${rule}, ${SEE}`)]
  if (approval !== 'invalid') return []
  const detail = `${rule} with either a URL or a reason starting with "unapproved", ${SEE}`
  return [invalid(field, crd.metadata.annotations?.[APPROVAL], detail)]
}

function validatePreserveUnknownFields(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return []
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, detail)]
}
