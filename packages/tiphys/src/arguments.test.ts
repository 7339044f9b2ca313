import { describe, expect, it } from 'vitest'
import { parseArguments } from './arguments.ts'
import type { CommandInfo } from './command.ts'

const command: CommandInfo = {
  name: 'try',
  group: 'Other',
  summary: '',
  operands: { usage: '[QUERY…]', most: 3, isQuery: true },
  flags: [
    { name: 'follow', short: 'f', summary: '' },
    { name: 'parameter', short: 'p', value: 'NAME=VALUE', repeats: true, summary: '' },
    { name: 'data', value: 'DIR', summary: '' },
  ],
  examples: [],
  load: () => Promise.reject(new Error('not loaded here')),
}

describe('arguments', () => {
  it('are flags by letter or name, and operands between them', () => {
    expect(parseArguments(command, ['-f', 'a', '--data', 'd', 'b'])).toEqual({
      operands: ['a', 'b'],
      flags: { follow: true, data: 'd' },
    })
  })

  it('gather the values of a flag that repeats', () => {
    expect(parseArguments(command, ['-p', 'a=1', '-pb=2', '--parameter=c=3']).flags).toEqual({
      parameter: ['a=1', 'b=2', 'c=3'],
    })
  })

  it('take - for a value, and no other flag', () => {
    expect(parseArguments(command, ['--data', '-', 'a'])).toEqual({ operands: ['a'], flags: { data: '-' } })
    expect(() => parseArguments(command, ['--data', '-f'])).toThrow('--data needs a DIR')
  })

  it('take a negated term of a query for what it is', () => {
    expect(parseArguments(command, ['-type:DELETE', '-data.spec.size:>3', '-f'])).toEqual({
      operands: ['-type:DELETE', '-data.spec.size:>3'],
      flags: { follow: true },
    })
    expect(() => parseArguments({ ...command, operands: { usage: '', most: 3 } }, ['-type:DELETE'])).toThrow(
      /there is no flag -t/,
    )
  })
})
