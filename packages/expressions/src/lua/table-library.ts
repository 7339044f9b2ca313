import type { Library } from './arguments.ts'
import { checkLength, concatText } from './operators.ts'
import { isTruthy, type LuaTable, type LuaValue, typeName } from './value.ts'

function insert(table: LuaTable, position: number, value: LuaValue): void {
  if (position > table.array.length || position <= 0) table.set(position, value)
  else {
    table.set(table.array.length + 1, undefined)
    table.array.pop()
    table.array.splice(position - 1, 0, value)
  }
}

function remove(table: LuaTable, position: number): LuaValue {
  const { array } = table
  if (position > array.length) return undefined
  return position <= 0 || position === array.length ? array.pop() : array.splice(position - 1, 1)[0]
}

export const tableLibrary: Library = [
  [
    'concat',
    (args, runtime) => {
      const table = args.table(1)
      const separator = args.optionalString(2, '')
      const count = table.length
      const first = args.integer(3, 1)
      const last = Math.min(args.integer(4, count), count)
      if (args.values.length === 3 && (first > count || first < 1)) return ['']
      const parts: string[] = []
      let length = 0
      for (let at = Math.max(Math.min(first, count), 1); at <= last; at++) {
        const text = concatText(table.array[at - 1])
        if (text === undefined)
          throw runtime.error(`invalid value (${typeName(table.array[at - 1])}) at index ${at} in table for concat`)
        length += text.length + separator.length
        checkLength(runtime, length)
        parts.push(text)
      }
      return [parts.join(separator)]
    },
  ],
  ['getn', args => [args.table(1).length]],
  ['maxn', args => [args.table(1).length]],
  [
    'insert',
    (args, runtime) => {
      const table = args.table(1)
      if (args.values.length === 1) throw runtime.error('wrong number of arguments')
      runtime.spend(1 + table.array.length / 256)
      if (args.values.length === 2) table.append(args.get(2))
      else {
        const position = args.integer(2)
        runtime.spend(Math.max(0, (position - table.array.length) / 8))
        insert(table, position, args.any(3))
      }
      return []
    },
  ],
  ['remove', args => [remove(args.table(1), args.values.length === 1 ? -1 : args.integer(2))]],
  [
    'sort',
    (args, runtime) => {
      const { array } = args.table(1)
      const isLess =
        args.values.length === 1
          ? (left: LuaValue, right: LuaValue) => runtime.lessThan(left, right)
          : (
              (order = args.function(2)) =>
              (left: LuaValue, right: LuaValue) =>
                isTruthy(runtime.call(order, [left, right])[0])
            )()
      // JavaScript keeps undefined out of the comparison; Lua compares every value, nil too.
      const items = array.map(value => ({ value }))
      items.sort((left, right) => {
        runtime.spend(1)
        return isLess(left.value, right.value) ? -1 : isLess(right.value, left.value) ? 1 : 0
      })
      items.forEach(({ value }, at) => {
        array[at] = value
      })
      return []
    },
  ],
]
