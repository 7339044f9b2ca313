import type { KubeObject } from '@tiphys/kube'
import { goQuote } from '@tiphys/kube'
import { isKnownFormat } from '../schema/string-format.ts'
import type { CrdSchema } from '../schema/structural.ts'
import type { Strategy } from '../strategy.ts'
import type { CustomResourceDefinition } from './crd.ts'
import { setCrdDefaults } from './crd-defaults.ts'
import { withStoredVersion } from './crd-status.ts'
import { validateCrd, validateCrdStatus, validateCrdUpdate } from './crd-validation.ts'

/** CustomResourceDefinitions. What becomes of their names and whether they are served is decided in `crd-status.ts`. */
export const crdStrategy: Strategy = {
  hasGeneration: true,
  setDefaults: setCrdDefaults,
  prepareForCreate(object) {
    const crd = asCrd(object)
    crd.status = withStoredVersion(
      { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: [] },
      crd.spec,
    )
  },
  prepareForUpdate(object, old) {
    const crd = asCrd(object)
    crd.status = withStoredVersion(asCrd(old).status ?? {}, crd.spec)
  },
  validate: object => validateCrd(asCrd(object)),
  validateUpdate: (object, old) => validateCrdUpdate(asCrd(object), asCrd(old)),
  validateStatusUpdate: object => validateCrdStatus(asCrd(object)),
  warnings(object, old) {
    const known = new Set(old ? unrecognizedFormats(asCrd(old)) : [])
    return unrecognizedFormats(asCrd(object))
      .filter(format => !known.has(format))
      .map(format => `unrecognized format ${goQuote(format)}`)
  },
}

const asCrd = (object: KubeObject): CustomResourceDefinition => object as CustomResourceDefinition

function unrecognizedFormats({ spec }: CustomResourceDefinition): string[] {
  const formats: string[] = []
  for (const { schema } of spec.versions) if (schema?.openAPIV3Schema) collect(schema.openAPIV3Schema, formats)
  return formats
}

function collect(schema: CrdSchema, formats: string[]): void {
  const {
    additionalProperties,
    allOf = [],
    anyOf = [],
    format = '',
    items,
    not,
    oneOf = [],
    properties = {},
    type,
  } = schema
  if (format !== '' && !isKnownFormat(format, type === undefined ? [] : [type])) formats.push(format)
  const parts = [items, ...allOf, ...anyOf, ...oneOf, not, ...Object.values(properties), additionalProperties]
  for (const part of parts) if (typeof part === 'object') collect(part, formats)
}
