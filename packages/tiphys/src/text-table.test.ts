import { expect, it } from 'vitest'
import { createTerminal, dim, red } from './terminal.ts'
import { Screen } from './terminal-screen.ts'
import { printTable } from './text-table.ts'

const HEADING = ['NAME', 'PHASE', 'MESSAGE']
const tableOn = (columns: number, whole?: string) => {
  const screen = new Screen(columns)
  const { out } = createTerminal({ stdout: screen, stderr: screen }, {})
  const rows = [
    ['shop/order-1', red(out, 'Failed'), 'the till is empty'],
    ['shop/a-longer-name-2', dim(out, 'Ok'), ''],
  ]
  printTable(out, HEADING, rows, whole === undefined ? {} : { whole })
  return screen.lines
}

it('aligns columns whatever their colours', () => {
  expect(tableOn(80)).toEqual([
    'NAME                  PHASE   MESSAGE',
    'shop/order-1          Failed  the till is empty',
    'shop/a-longer-name-2  Ok',
    '',
  ])
})

it('cuts the widest columns where the screen is narrow, and never the one that is to be read whole', () => {
  expect(tableOn(40)).toEqual([
    'NAME             PHASE   MESSAGE',
    'shop/order-1     Failed  the till is em…',
    'shop/a-longer-…  Ok',
    '',
  ])
  expect(tableOn(40, 'NAME')).toEqual([
    'NAME                  PHASE   MESSAGE',
    'shop/order-1          Failed  the till …',
    'shop/a-longer-name-2  Ok',
    '',
  ])
  const narrow = ['NAME                  PHASE', 'shop/order-1          Failed', 'shop/a-longer-name-2  Ok', '']
  expect(tableOn(30, 'NAME')).toEqual(narrow)
  expect(tableOn(10, 'NAME')).toEqual(narrow.map(line => line.slice(0, 20).trimEnd()))
})

it('is whole in a file', () => {
  const lines: string[] = []
  const { out } = createTerminal({ stdout: { write: text => lines.push(text) }, stderr: { write() {} } }, {})
  printTable(out, ['A', 'B'], [['x'.repeat(200), 'y']])
  expect(lines[1]).toBe(`${'x'.repeat(200)}  y\n`)
})
