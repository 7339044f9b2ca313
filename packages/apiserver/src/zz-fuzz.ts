import { spawnSync } from 'node:child_process'
import { parseJson, stringifyJson } from '@tiphys/kube'
import { formatFieldError, type FieldError } from './field-error.ts'
import { structuralObstacle, validateStructural } from './schema/structural.ts'
import { prune, pruneNulls } from './schema/prune.ts'
import { setDefaults } from './schema/defaults.ts'
import { structuralNode } from './schema/structural-node.ts'
import { compileValidator } from './schema/validate.ts'
import { validateListTypes } from './schema/list-type.ts'
import { Correlation } from './schema/ratchet.ts'
let seed = Number(process.argv[2] ?? 1)
const rnd = (n: number) => { seed = (seed + 0x6d2b79f5) | 0; let t = Math.imul(seed ^ (seed >>> 15), 1 | seed); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) % n }
const pick = <T>(...l: T[]): T => l[rnd(l.length)] as T
const names = ['a', 'b', 'c', 'd', 'kind', 'metadata', 'constructor', '__proto__x']
function vv(type: string | undefined, depth: number): any {
  const v: any = {}
  const t = type ?? pick('string', 'integer', 'object', 'array', 'number')
  if (t === 'string') { if (rnd(3) === 0) v.maxLength = rnd(4); if (rnd(4) === 0) v.minLength = rnd(3); if (rnd(4) === 0) v.pattern = pick('^a', 'b$', '[0-9]+', '^$'); if (rnd(4) === 0) v.enum = pick(['x', 'ab'], ['']); if (rnd(4) === 0) v.format = pick('date', 'ipv4', 'foo', 'int32', 'uuid', 'duration') }
  if (t === 'integer' || t === 'number') { if (rnd(3) === 0) v.maximum = pick(0, 3, 2.5, -1); if (rnd(4) === 0) v.exclusiveMaximum = true; if (rnd(3) === 0) v.minimum = pick(0, 1, 1.5, -3); if (rnd(5) === 0) v.exclusiveMinimum = true; if (rnd(4) === 0) v.multipleOf = pick(2, 0.5, 3); if (rnd(5) === 0) v.enum = [1, 2, 2.5]; if (rnd(4) === 0) v.format = pick('int32', 'int64', 'float', 'double', 'x') }
  if (t === 'array') { if (rnd(3) === 0) v.maxItems = rnd(3); if (rnd(4) === 0) v.minItems = rnd(3) }
  if (t === 'object') { if (rnd(4) === 0) v.required = [pick(...names)]; if (rnd(5) === 0) v.maxProperties = rnd(3); if (rnd(5) === 0) v.minProperties = rnd(3) }
  return v
}
function nested(s: any, depth: number): any {
  const v: any = vv(s.type, depth)
  if (s.type === 'object' && s.properties && rnd(2) === 0) { const ks = Object.keys(s.properties); const k = pick(...ks); if (k && k !== 'metadata') v.properties = { [k]: vv(s.properties[k].type, 0) } }
  if (rnd(15) === 0) v.type = 'string'; if (rnd(20) === 0) v.description = 'x'; if (rnd(20) === 0) v.properties = { zz: {} }
  if (depth > 0 && rnd(6) === 0) v.anyOf = [nested(s, depth - 1), nested(s, depth - 1)]
  return v
}
function gen(depth: number, root = false): any {
  const type = root ? (rnd(40) === 0 ? undefined : 'object') : depth === 0 ? pick('string', 'integer', 'number', 'boolean') : pick('string', 'integer', 'number', 'boolean', 'array', 'object', 'object', 'object', undefined)
  const s: any = { ...vv(type, depth) }
  if (type) s.type = type
  else if (rnd(2) === 0) { s['x-kubernetes-int-or-string'] = true; if (rnd(3) === 0) s.anyOf = [{ type: 'integer' }, { type: 'string' }] } else if (rnd(2) === 0) s['x-kubernetes-preserve-unknown-fields'] = true
  if (rnd(6) === 0) s.nullable = true
  if (type === 'array') { s.items = gen(depth - 1); if (rnd(3) === 0) { s['x-kubernetes-list-type'] = pick('set', 'map', 'atomic'); if (s['x-kubernetes-list-type'] === 'map') { s['x-kubernetes-list-map-keys'] = pick(['a'], ['a', 'b']); s.items = { type: 'object', properties: { a: gen(0), b: gen(0), c: gen(0) } } } } }
  if (type === 'object') { if (!root && rnd(4) === 0) s.additionalProperties = rnd(4) === 0 ? true : gen(depth - 1); else { s.properties = {}; for (let i = rnd(4) + (root ? 2 : 0); i > 0; i--) s.properties[pick(...names.slice(0, root ? 4 : 7))] = gen(depth - 1) } if (rnd(6) === 0) s['x-kubernetes-preserve-unknown-fields'] = true }
  if (rnd(5) === 0) s[pick('anyOf', 'allOf', 'oneOf')] = [nested(s, 1), nested(s, 1)]
  if (rnd(12) === 0) s.not = nested(s, 1)
  if (rnd(5) === 0 && type) s.default = value({ type }, 1)
  return s
}
function value(s: any, depth: number): any {
  if (rnd(12) === 0) return pick<any>(null, '', 'ab', 1, 2.5, true, [], {}, [null], -1, 1e10, 'x', 5e-7)
  switch (s.type) {
    case 'string': return pick('', 'a', 'ab', 'x', '12', 'äöü', '2020-01-01', '1.2.3.4', '5s')
    case 'integer': return pick(0, 1, 2, 3, 5, -1, 100, 3000000000)
    case 'number': return pick(0, 1, 2.5, -0.5, 3, 1e22)
    case 'boolean': return rnd(2) === 0
    case 'array': return Array.from({ length: rnd(4) }, () => value(s.items ?? {}, depth - 1))
    case 'object': { const o: any = {}; for (const [k, p] of Object.entries(s.properties ?? {})) if (rnd(4) > 0) o[k] = value(p, depth - 1); if (typeof s.additionalProperties === 'object') for (const k of ['p', 'q']) if (rnd(2) === 0) o[k] = value(s.additionalProperties, depth - 1); if (rnd(5) === 0) o[pick('zzz', 'constructor', 'a')] = value({}, 0); return o }
    default: return pick<any>(null, 'x', 1, { u: 1 }, ['v'], 2.5, true)
  }
}
const mut = (v: any): any => { if (rnd(8) === 0) return value({}, 1); if (Array.isArray(v)) return v.map(x => (rnd(5) === 0 ? mut(x) : x)); if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).filter(() => rnd(8) > 0).map(([k, x]) => [k, rnd(4) === 0 ? mut(x) : x])); return v }
const cases = Array.from({ length: 3000 }, () => { const schema = gen(3, true); let object = value({ ...schema, type: 'object' }, 3); if (!object || typeof object !== 'object' || Array.isArray(object)) object = {}; let old = rnd(3) === 0 ? JSON.parse(JSON.stringify(object)) : mut(object); if (!old || typeof old !== 'object' || Array.isArray(old)) old = {}; return { schema, object, old } })
const r = spawnSync('/tmp/work/crdhelp/go2/oracle', { input: cases.map(c => JSON.stringify(c)).join('\n') + '\n', maxBuffer: 1 << 30 })
if (r.stderr.length) console.log(r.stderr.toString().slice(0, 600))
const lines = r.stdout.toString().trim().split('\n')
const TYPES: any = { FieldValueTypeInvalid: 'FieldValueTypeInvalid' }
const text = (e: FieldError) => { const f = formatFieldError(e); const i = f.indexOf(': '); return `${e.field === '' ? '<nil>' : e.field}|${TYPES[e.type] ?? e.type}|${f.slice((e.field === '' ? '<nil>' : e.field).length + 2)}` }
const list = (es: FieldError[]) => es.map(text).sort()
const dropType = (l: any) => Array.isArray(l) ? l.map((x: string) => x.replace(/^([^|]*)\|[^|]*\|/, "$1|")).sort() : l
const norm = (v: any): any => Array.isArray(v) ? v.map(norm) : v && typeof v === 'object' ? Object.fromEntries(Object.keys(v).sort().map(k => [k, norm(v[k])])) : v
let bad = 0, valid = 0, structural = 0
const shown = new Set<string>()
for (const [i, c] of cases.entries()) {
  const want = parseJson(lines[i]!) as any
  const { schema, object, old } = c
  const got: any = {}
  const ob = structuralObstacle(schema)
  if (ob) got.obstacle = ob
  else {
    got.structural = list(validateStructural(schema, 's'))
    if (got.structural.length === 0) {
      const n = structuralNode(schema)
      got.unknown = prune(object, n, true); pruneNulls(object, n); setDefaults(object, n)
      prune(old, n, true); pruneNulls(old, n); setDefaults(old, n)
      const v = compileValidator(schema)
      got.errors = list(v.validate(object)); got.update = list(v.validateUpdate(object, new Correlation(object, old, n))); got.lists = list(validateListTypes(object, n)); got.object = object
      if (got.errors.length === 0) valid++
    } else structural++
  }
  if (want.unknown === null) want.unknown = []
  for (const k of ["structural", "errors", "update", "lists"]) { if (want[k]) want[k] = dropType(want[k]); if (got[k]) got[k] = dropType(got[k]) }
  for (const k of new Set([...Object.keys(want), ...Object.keys(got)])) {
    const a = stringifyJson(norm(got[k] ?? null)), b = stringifyJson(norm(want[k] ?? null))
    if (a !== b) { bad++; if (shown.size < 12) { const w = (want[k] ?? []), g = (got[k] ?? []); const what = Array.isArray(w) ? `${k}: want only ${JSON.stringify(w.filter((x: string) => !g.includes(x))).slice(0, 500)} got only ${JSON.stringify(g.filter((x: string) => !w.includes(x))).slice(0, 500)}` : `${k}: want ${b.slice(0, 300)} got ${a.slice(0, 300)}`; shown.add(what); console.log(what, '\n   ', JSON.stringify(schema).slice(0, 700), '\n   ', JSON.stringify(cases[i]!.object).slice(0, 300)) } break }
  }
}
console.log({ cases: cases.length, bad, valid, structural })
