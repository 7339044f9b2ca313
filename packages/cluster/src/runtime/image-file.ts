import { parseYaml } from '@tiphys/kube'
import type { ImageEntry, ImageTable } from './process/image-table.ts'

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const areAll =
  (isOne: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isObject(value) && Object.values(value).every(isOne)

const LIST = { isIt: isList, is: 'a list of texts' }
const TEXT = { isIt: isText, is: 'a text' }

const FIELDS: Record<keyof ImageEntry, { isIt(value: unknown): boolean; is: string }> = {
  entrypoint: LIST,
  cmd: LIST,
  env: { isIt: areAll(isText), is: 'texts by name' },
  user: TEXT,
  workingDir: TEXT,
  path: LIST,
  needs: LIST,
  install: TEXT,
  commands: { isIt: areAll(isList), is: 'lists of lines by name' },
}

/** Reads what somebody says of images, in YAML or JSON. Throws an error that names what is wrong. */
export async function parseImageTable(text: string): Promise<ImageTable> {
  const { value } = await parseYaml(text)
  if (!isObject(value)) throw new Error('it is not an object with the names of images as keys')
  for (const [image, entry] of Object.entries(value)) {
    if (!isObject(entry)) throw new Error(`what it says of ${image} is not an object`)
    for (const [name, content] of Object.entries(entry)) {
      if (!Object.hasOwn(FIELDS, name)) {
        throw new Error(`${image} has the unknown field ${name}: there are ${Object.keys(FIELDS).join(', ')}`)
      }
      const { isIt, is } = FIELDS[name as keyof ImageEntry]
      if (!isIt(content)) throw new Error(`${name} of ${image} is not ${is}`)
    }
  }
  return value as ImageTable
}
