import { type Json, withWrittenNumbers } from '@tiphys/journal/records'

/** The JSON of one member of a body, with its numbers as they are in the text that the body was read from. The other members have no
 *  numbers, so that it is known where they end. */
export function writtenMember(body: Readonly<Record<string, Json>>, name: string, written: string): string {
  const members = Object.entries(body)
  const at = members.findIndex(([each]) => each === name)
  const lengthOf = (some: typeof members) =>
    some.reduce((sum, [each, value]) => sum + JSON.stringify(each).length + JSON.stringify(value).length + 2, 0)
  const begin = 1 + lengthOf(members.slice(0, at)) + JSON.stringify(name).length + 1
  return withWrittenNumbers(body, written).slice(begin, -1 - lengthOf(members.slice(at + 1)))
}
