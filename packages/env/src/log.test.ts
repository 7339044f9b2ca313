import { describe, expect, it } from 'vitest'
import { createLog, formatJson, formatPretty, type Level, type LogLine, silentLog } from './log.ts'

function record(level?: Level) {
  const lines: LogLine[] = []
  const log = createLog({ now: () => 5, write: line => lines.push(line), ...(level ? { level } : {}) })
  return { log, lines }
}

describe('a log', () => {
  it('writes one line per event with time, level and fields', () => {
    const { log, lines } = record()
    log.info('a watch began', { kind: 'Pod' })
    expect(lines).toEqual([{ time: 5, level: 'info', message: 'a watch began', fields: { kind: 'Pod' } }])
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = record('warn')
    log.debug('a')
    log.info('b')
    log.warn('c')
    log.error('d')
    expect(lines.map(line => line.message)).toEqual(['c', 'd'])
  })

  it('carries the fields of those who passed it on; the nearest wins', () => {
    const { log, lines } = record('debug')
    log.with({ component: 'bus', run: 1 }).with({ run: 2 }).debug('x', { step: 3 })
    expect(lines[0]?.fields).toEqual({ component: 'bus', run: 2, step: 3 })
  })

  it('can be silent', () => expect(() => silentLog.with({}).error('nobody hears this')).not.toThrow())
})

describe('the formats', () => {
  const line: LogLine = {
    time: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    level: 'warn',
    message: 'the watch is silent',
    fields: { kind: 'Pod', why: new Error('no bytes'), text: 'two words', count: 3, missing: undefined },
  }

  it('is one JSON object for machines', () => {
    expect(JSON.parse(formatJson(line))).toEqual({
      time: '2026-01-02T03:04:05.006Z',
      level: 'warn',
      message: 'the watch is silent',
      kind: 'Pod',
      why: 'no bytes',
      text: 'two words',
      count: 3,
    })
  })

  it('cannot have its own members replaced by fields', () => {
    const json = formatJson({ ...line, fields: { level: 'debug', message: 'forged', time: 0 } })
    expect(JSON.parse(json)).toMatchObject({ level: 'warn', message: 'the watch is silent' })
  })

  it('is one aligned line for people', () => {
    expect(formatPretty(line, false)).toBe(
      '03:04:05.006 warn  the watch is silent  kind=Pod why="no bytes" text="two words" count=3 missing=undefined',
    )
  })

  it('has colours where they are wanted, around the same words', () => {
    const coloured = formatPretty(line, true)
    expect(coloured).toContain('\x1b[33mwarn \x1b[0m')
    expect(coloured.replaceAll(/\x1b\[\d+m/g, '')).toBe(formatPretty(line, false))
  })

  it('stays one line whatever the fields hold, and shows what JSON cannot', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const fields = { text: 'a\nb', big: 12n, circular }
    expect(formatPretty({ ...line, fields }, false)).not.toContain('\n')
    expect(formatJson({ ...line, fields })).not.toContain('\n')
    expect(JSON.parse(formatJson({ ...line, fields }))).toMatchObject({ text: 'a\nb', big: '12' })
  })
})
