import { child, type FieldError, forbidden, invalid, notSupported } from '../field-error.ts'
import { validatePodAnnotations, validatePodSpec } from './core/pod-validation.ts'
import { type Fields, isPresent, listAt, objectAt, optionalObjectAt, textAt, textMapAt } from './fields.ts'
import { isEmptySelector, selectorMatches, sortedLabels, validateLabels } from './label-selector-validation.ts'
import { validateAnnotations } from './object-meta.ts'

export function validatePodTemplate(template: Fields, field: string): FieldError[] {
  const metadata = objectAt(template, 'metadata')
  const annotations = textMapAt(metadata, 'annotations')
  const spec = objectAt(template, 'spec')
  const errors = [
    ...validateLabels(textMapAt(metadata, 'labels'), child(field, 'labels')),
    ...validateAnnotations(annotations, child(field, 'annotations')),
    ...validatePodAnnotations(annotations, spec, child(field, 'annotations')),
    ...validatePodSpec(spec, undefined, child(field, 'spec'), false),
  ]
  if (listAt(spec, 'ephemeralContainers').length > 0) {
    const detail = 'ephemeral containers not allowed in pod template'
    errors.push(forbidden(`${field}.spec.ephemeralContainers`, detail))
  }
  return errors
}

/** The template of a controller that keeps its pods running: it must be found by the selector and restart always. */
export function validateRunningTemplate(
  template: Fields,
  selector: Fields | undefined,
  field: string,
  kind: string,
): FieldError[] {
  const labels = textMapAt(objectAt(template, 'metadata'), 'labels')
  const errors: FieldError[] = []
  const isMatched = selector !== undefined && (isEmptySelector(selector) || selectorMatches(selector, labels))
  if (!isMatched) {
    const value = sortedLabels(optionalObjectAt(objectAt(template, 'metadata'), 'labels'))
    errors.push(invalid(`${field}.metadata.labels`, value, '`selector` does not match template `labels`'))
  }
  errors.push(...validatePodTemplate(template, field))
  const spec = objectAt(template, 'spec')
  const restartPolicy = textAt(spec, 'restartPolicy')
  if (restartPolicy !== 'Always') {
    errors.push(notSupported(`${field}.spec.restartPolicy`, restartPolicy, ['Always']))
  }
  if (isPresent(spec, 'activeDeadlineSeconds')) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`
    errors.push(forbidden(`${field}.spec.activeDeadlineSeconds`, detail))
  }
  return errors
}
