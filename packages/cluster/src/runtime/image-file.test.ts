import { describe, expect, it } from 'vitest'
import { parseImageTable } from './image-file.ts'

describe("a user's table of images", () => {
  it('is YAML or JSON', async () => {
    const table = { 'acme/web': { entrypoint: ['python3', '-m', 'http.server'], env: { A: '1' } } }
    expect(await parseImageTable(JSON.stringify(table))).toEqual(table)
    expect(await parseImageTable('acme/web:\n  entrypoint: [python3, -m, http.server]\n  env: { A: "1" }\n')).toEqual(
      table,
    )
  })

  it.each([
    ['- a', 'it is not an object with the names of images as keys'],
    ['acme: run', 'what it says of acme is not an object'],
    ['acme: { entrypoint: sh }', 'entrypoint of acme is not a list of texts'],
    ['acme: { env: { A: 1 } }', 'env of acme is not texts by name'],
    ['acme: { constructor: sh }', 'acme has the unknown field constructor: there are entrypoint, cmd, env,'],
  ])('says what is wrong with %j', async (text, message) => {
    await expect(parseImageTable(text)).rejects.toThrow(message)
  })
})
