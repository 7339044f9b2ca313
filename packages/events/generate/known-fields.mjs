// Writes the table of the fields that Argo Events knows, from the JSON schema in its repository:
//   node packages/events/generate/known-fields.mjs ARGO_EVENTS/api/jsonschema/schema.json
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OWN = '#/definitions/io.argoproj.events.v1alpha1.'
const ROOTS = ['EventBus', 'EventSource', 'Sensor']

const { definitions } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const typeOf = name => definitions[OWN.slice('#/definitions/'.length) + name]
const table = {}

/** `X`: an object of type X, `[]X` and `{}X`: a list and a map of them, empty: not looked into. */
function shapeOf({ $ref, items, additionalProperties }) {
  const within = (prefix, inner) => {
    const shape = shapeOf(inner)
    return shape === '' ? '' : prefix + shape
  }
  if (items) return within('[]', items)
  if (additionalProperties && typeof additionalProperties === 'object') return within('{}', additionalProperties)
  if (!$ref?.startsWith(OWN)) return ''
  const name = $ref.slice(OWN.length)
  if (!typeOf(name)?.properties) return ''
  add(name)
  return name
}

function add(name) {
  if (table[name]) return
  table[name] = {}
  for (const [field, schema] of Object.entries(typeOf(name).properties)) {
    if (field === 'status' && ROOTS.includes(name)) table[name][field] = ''
    else table[name][field] = shapeOf(schema)
  }
}

for (const name of ROOTS) add(name)
const lines = Object.keys(table)
  .sort()
  .map(name => `  ${name}: ${JSON.stringify(table[name])},`)
const target = fileURLToPath(new URL('../src/kinds/known-fields.generated.ts', import.meta.url))
writeFileSync(
  target,
  `// Written by generate/known-fields.mjs.

/** The fields of every type of Argo Events v1.9.11: \`X\` is an object of type X, \`[]X\` and \`{}X\` a list and a map of
 *  them; what is empty is not looked into. */
export const KNOWN_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${lines.join('\n')}
}
`,
)
