import { seededRandom, VirtualClock } from '@tiphys/env'
import { describe, expect, test } from 'vitest'
import { TemplateExecutionError, TemplateLimitError, type TemplateLimits } from './budget.ts'
import { defineFunction, GoMap, TemplateParseError } from './go-template.ts'
import { bcryptHash } from './sprig/bcrypt.ts'
import { sprigFunctions } from './sprig/sprig.ts'
import { compileTemplate } from './template.ts'

const env = () => ({ clock: new VirtualClock(Date.parse('2026-03-29T12:30:45Z')), random: seededRandom(1) })

const print = (text: string, data?: unknown, limits?: TemplateLimits): string =>
  compileTemplate(text, { funcs: 'sprig', name: 'param' }).execute(data, {
    env: env(),
    ...(limits === undefined ? {} : { limits }),
  })

describe('data', () => {
  test('is left as it is, whatever a template sets', () => {
    const data = Object.freeze({ labels: Object.freeze({ app: 'web' }), list: Object.freeze([1]) })
    const text = '{{$_ := set .labels "app" "db"}}{{.labels.app}} {{append .list 2}}'
    expect(print(text, data)).toBe('db [1 2]')
    expect(data).toEqual({ labels: { app: 'web' }, list: [1] })
  })

  test('with keys of Object.prototype is data', () => {
    const data: unknown = JSON.parse('{"__proto__": {"x": 1}, "m": {}}')
    expect(print('{{index . "__proto__" "x"}} {{.m.constructor}} {{.toString}}', data)).toBe('1 <no value> <no value>')
    expect(print('{{(set (dict) "__proto__" (dict "polluted" 1)).polluted}} {{(dict).polluted}}')).toBe(
      '<no value> <no value>',
    )
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('holds ints where the caller gives bigints', () => {
    expect(print('{{eq .n 3}} {{typeOf .n}} {{range .n}}{{.}}{{end}}', { n: 3n })).toBe('true int 012')
  })

  test('holds maps of strings where the caller gives them', () => {
    const headers = new GoMap('map[string]string', [['a', 'b']])
    expect(print('{{.headers.a}} {{printf "%T" .headers}}', { headers })).toBe('b map[string]string')
  })
})

describe('functions', () => {
  test('of the caller take part', () => {
    const greet = defineFunction(['string', '...int'], (_, name, ...counts) => `${name}: ${counts.join(' ')}`)
    const template = compileTemplate('{{greet .name 1 2}}', { funcs: new Map([['greet', greet]]) })
    expect(template.execute({ name: 'Ann' }, { env: env() })).toBe('Ann: 1 2')
    expect(() => template.execute({ name: 1 }, { env: env() })).toThrow(
      'template: template:1:8: executing "template" at <.name>: wrong type for value; expected string; got float64',
    )
  })

  test('that read the environment are not there', () => {
    expect(() => compileTemplate('{{env "HOME"}}', { funcs: 'sprig' })).toThrow('function "env" not defined')
    expect(() => compileTemplate('{{expandenv "$HOME"}}', { funcs: 'sprig' })).toThrow(
      'function "expandenv" not defined',
    )
  })

  test('that would reach the network or make keys say that they do not', () => {
    expect(() => print('{{getHostByName "localhost"}}')).toThrow('templates do not reach the network')
    expect(() => print('{{genPrivateKey "rsa"}}')).toThrow('templates make no keys and certificates')
    expect(() => print('{{genCA "a" 1}}')).toThrow('templates make no keys and certificates')
  })

  test('draw from the randomness and the clock they are given', () => {
    const text = '{{randAlphaNum 8}} {{uuidv4}} {{shuffle "abcdef"}} {{randInt 0 100}}'
    expect(print(text)).toBe(print(text))
    expect(print('{{ago (toDate "2006-01-02 15:04:05" "2026-03-29 11:00:00")}} {{now | date "15:04"}}')).toBe(
      '1h30m45s 12:30',
    )
    expect(print('{{durationRound (toDate "2006-01-02" "2026-03-01")}} {{htmlDate .nothing}}', {})).toBe(
      '28d 2026-03-29',
    )
  })

  test('hash passwords with bcrypt', () => {
    // Checked with golang.org/x/crypto/bcrypt.
    const hash = bcryptHash(
      Buffer.from('secret'),
      Uint8Array.from({ length: 16 }, (_, index) => index),
    )
    expect(hash).toBe('$2a$10$..CA.uOD/eaGAOmJB.yMBu0jSOqyoKcaQ/YvzjM283iifHYPhsi9y')
  })

  test('are as many as sprig has', () => {
    expect(sprigFunctions.size).toBe(209)
  })
})

const bombs: readonly { name: string; text: string }[] = [
  { name: 'templates that call themselves', text: '{{define "a"}}{{template "a"}}{{end}}{{template "a"}}' },
  {
    name: 'templates that call each other twice',
    text: `{{define "a"}}{{template "a"}}{{template "a"}}{{end}}{{template "a"}}`,
  },
  { name: 'a long repetition', text: '{{repeat 1000000000 "x"}}' },
  { name: 'a repetition of repetitions', text: '{{repeat 4000 (repeat 4000 (repeat 4000 "x"))}}' },
  { name: 'a long list of numbers', text: '{{until 1000000000}}' },
  { name: 'a list of numbers without end', text: '{{untilStep 0 9223372036854775807 1}}' },
  { name: 'a long sequence', text: '{{seq 1000000000}}' },
  { name: 'a long range', text: '{{range 1000000000}}{{end}}' },
  {
    name: 'ranges within ranges',
    text: '{{range until 9999}}{{range until 9999}}{{range until 9999}}{{end}}{{end}}{{end}}',
  },
  { name: 'a text that doubles', text: '{{$s := "x"}}{{range until 99}}{{$s = print $s $s}}{{end}}{{len $s}}' },
  { name: 'a list that doubles', text: '{{$l := list 1}}{{range until 99}}{{$l = concat $l $l}}{{end}}{{len $l}}' },
  { name: 'a map that contains itself', text: '{{$d := dict}}{{$_ := set $d "d" $d}}{{$d}}' },
  { name: 'a map that contains itself as JSON', text: '{{$d := dict}}{{$_ := set $d "d" $d}}{{toJson $d}}' },
  { name: 'a map that contains itself, copied', text: '{{$d := dict}}{{$_ := set $d "d" $d}}{{deepCopy $d}}' },
  {
    name: 'maps that contain themselves, merged',
    text: '{{$a := dict}}{{$b := dict}}{{$_ := set $a "x" $a}}{{$_ := set $b "x" $b}}{{merge $a $b | len}}{{$c := dict "x" (dict "x" $a)}}{{$_ := mergeOverwrite $c $a}}{{$c}}',
  },
  {
    name: 'maps that contain themselves, compared',
    text: '{{$a := dict}}{{$b := dict}}{{$_ := set $a "x" $a}}{{$_ := set $b "x" $b}}{{deepEqual $a $b}}',
  },
  {
    name: 'a list that is nested ever deeper',
    text: '{{$l := list}}{{range until 5000}}{{$l = list $l}}{{end}}{{$l}}',
  },
  { name: 'a wide format', text: '{{printf "%99999999d" 1}}{{range until 999}}{{printf "%999999d" 1}}{{end}}' },
  { name: 'a deep indentation', text: '{{indent 100000 (repeat 10000 "\\n")}}' },
  { name: 'a replacement of every character', text: '{{$s := repeat 100000 "x"}}{{replace "x" $s $s}}' },
  { name: 'a pattern that is replaced everywhere', text: '{{$s := repeat 100000 "x"}}{{regexReplaceAll "x" $s $s}}' },
  { name: 'a long line end', text: '{{$s := repeat 100000 "x"}}{{wrapWith 1 $s $s}}' },
  { name: 'a long separator', text: '{{join (repeat 100000 "x") (until 100000)}}' },
  { name: 'much random text', text: '{{randAlphaNum 1000000000}}' },
  { name: 'many random bytes', text: '{{randBytes 1000000000}}' },
  { name: 'many slow hashes', text: '{{range until 1000}}{{$_ := bcrypt "x"}}{{end}}' },
  { name: 'much output', text: '{{range until 2000}}{{repeat 1000 "x"}}{{end}}' },
  { name: 'many unique things', text: '{{uniq (until 100000)}}' },
]

describe('limits', () => {
  test.each(bombs)('stop $name', ({ text }) => {
    expect(() => print(text)).toThrow(TemplateExecutionError)
  })

  test('are what the caller says', () => {
    expect(() => print('{{repeat 11 "x"}}', {}, { outputBytes: 10 })).toThrow('template printed more than 10 bytes')
    expect(print('{{repeat 10 "x"}}', {}, { outputBytes: 10 })).toBe('xxxxxxxxxx')
    expect(() => print('{{range until 50}}x{{end}}', {}, { steps: 100 })).toThrow(TemplateLimitError)
    expect(print('{{range until 10}}x{{end}}', {}, { steps: 100 })).toBe('xxxxxxxxxx')
  })

  test('hold for what is nested in the text', () => {
    const open = (count: number) => `{{${'('.repeat(count)}1${')'.repeat(count)}}}`
    expect(print(open(100))).toBe('1')
    expect(() => print(open(100_000))).toThrow('template: param:1: max expression depth exceeded')
    expect(() => print('{{if 1}}'.repeat(100_000))).toThrow(TemplateParseError)
    expect(() => print(`${'{{if 1}}'.repeat(100_000)}${'{{end}}'.repeat(100_000)}`)).toThrow(TemplateParseError)
  })

  test('hold for deep data', () => {
    let data: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) data = [data]
    expect(() => print('{{.}}', data)).toThrow(TemplateLimitError)
    expect(() => print('{{toJson .}}', data)).toThrow(TemplateLimitError)
    expect(() => print('{{fromJson (repeat 200000 "[")}}')).not.toThrow()
  })
})

describe('any text', () => {
  const words = [
    '{{',
    '}}',
    '{{-',
    '-}}',
    '/*',
    '*/',
    '(',
    ')',
    '|',
    '.',
    '$',
    '$x',
    ':=',
    '=',
    ',',
    '"',
    '`',
    "'",
    '\\',
    ' ',
    '\n',
    'if',
    'else',
    'end',
    'range',
    'with',
    'define',
    'template',
    'block',
    'break',
    'continue',
    'nil',
    'true',
    '.a',
    '.b.c',
    '"s"',
    '1',
    '-1.5',
    '1i',
    "'x'",
    '0x',
    'é',
    '😀',
    '\ud800',
    '\0',
    '%',
    'printf "%#v"',
    'index',
    'slice',
    'dict',
    'list',
  ]
  const names = [...sprigFunctions.keys()].filter(name => !/bcrypt|htpasswd|derivePassword/.test(name))
  const values = [
    '.',
    '.s',
    '.l',
    '.m',
    '.n',
    'nil',
    '""',
    '-1',
    '1',
    '99',
    '1e300',
    '"x"',
    'true',
    '(list 1 nil)',
    '(dict "a" .m)',
    'now',
    '(semver "1.2.3")',
    '1i',
    '(until 3)',
    '"\\xff"',
    '(trunc 1 .s)',
  ]
  const data = { s: 'é😀', l: [1, 'a', null], m: { a: { b: 1 } }, n: 1e308 }
  const options = { steps: 20_000, outputBytes: 10_000 }

  const isExpected = (error: unknown) => error instanceof TemplateParseError || error instanceof TemplateExecutionError

  const attempt = (text: string) => {
    try {
      expect(typeof print(text, data, options)).toBe('string')
    } catch (error) {
      if (!isExpected(error)) throw new Error(`failed otherwise than it should: ${text}`, { cause: error })
    }
  }

  test('is printed or refused with an error of its own', () => {
    const random = seededRandom(7)
    const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)] as string
    for (let round = 0; round < 4000; round++) {
      attempt(Array.from({ length: 1 + Math.floor(random.next() * 14) }, () => pick(words)).join(pick(['', ' '])))
    }
  })

  test('that calls functions with anything is printed or refused with an error of its own', () => {
    const random = seededRandom(11)
    const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)] as string
    for (const name of names) {
      for (let round = 0; round < 12; round++) {
        const args = Array.from({ length: Math.floor(random.next() * 5) }, () => pick(values)).join(' ')
        attempt(
          pick([
            `{{${name} ${args}}}`,
            `{{${args === '' ? '1' : `list ${args}`} | ${name} ${args}}}`,
            `{{printf "%#v" (${name} ${args})}}`,
          ]),
        )
      }
    }
  })
})
