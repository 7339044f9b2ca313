import { generatedCases, generatedSchema, generatedSelf } from './cel-generated.mjs'
import { schemaCases, fixtures as schemaFixtures } from './cel-schema.mjs'
import { syntaxCases } from './cel-syntax.mjs'
import { tableCases } from './cel-table.mjs'

export const cases = [...tableCases, ...syntaxCases, ...schemaCases, ...generatedCases]

export const fixtures = {
  schemas: { ...schemaFixtures.schemas, generated: generatedSchema },
  values: { ...schemaFixtures.values, generated: generatedSelf },
}
