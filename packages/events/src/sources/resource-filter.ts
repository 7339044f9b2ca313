import { compilePattern, type Pattern, PatternError } from '@tiphys/expressions'
import { getJson } from '@tiphys/expressions/gjson'
import type { KubeObject } from '@tiphys/kube'
import type { ResourceFilter, Selector } from './resource-spec.ts'

/** Which objects an entry's events are about. Upstream's outcomes, the odd ones included: a field is a regular expression
 *  that may match anywhere in a string, a number or boolean is matched as an empty text, a path that leads nowhere and a
 *  selector that cannot be understood drop the event. Labels are the server's part, `afterStart` is the checkpoint's. */
export function createResourceFilter(filter: ResourceFilter = {}): (object: KubeObject, json: string) => boolean {
  const { prefix = '', createdBy, fields = [] } = filter
  const latest = createdBy === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdBy)
  const tests = fields.map(fieldTest)
  return ({ metadata }, json) =>
    (metadata.name ?? '').startsWith(prefix) &&
    !(Date.parse(metadata.creationTimestamp ?? '') > latest) &&
    tests.every(test => test(json))
}

function fieldTest({ key = '', operation = '', value = '' }: Selector): (json: string) => boolean {
  const pattern = patternOf(value)
  if (!pattern) return () => false
  return json => {
    const { exists, str } = getJson(json, key)
    if (!exists) return false
    if (operation === '=' || operation === '==') return pattern.test(str)
    return operation === '!=' && !pattern.test(str)
  }
}

function patternOf(source: string): Pattern | undefined {
  try {
    return compilePattern(source)
  } catch (thrown) {
    if (thrown instanceof PatternError) return undefined
    throw thrown
  }
}
