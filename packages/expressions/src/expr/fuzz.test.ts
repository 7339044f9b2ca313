import { seededRandom } from '@tiphys/env'
import { expect, test } from 'vitest'
import type { ExprDialect } from './dialect.ts'
import { compileExpr, ExprError } from './index.ts'

const words =
  'a b.c list # . .x ?. ?? ? : ; , ( ) [ ] { } + - * / % ** == != < <= in not and or matches contains .. | let x = if else ' +
  'true nil 1 2.5 0x1 "s" \'t\' `r` filter( map( sum( reduce( sort( groupBy( count( len( keys( string( date( $env :: @ \\ \u00e9 #acc #index "'

/** Texts that look like expressions, and now and then are. */
function* texts(seed: number, count: number): Generator<string> {
  const random = seededRandom(seed)
  const tokens = words.split(' ')
  const below = (limit: number) => Math.floor(random.next() * limit)
  for (let made = 0; made < count; made++) {
    const length = 1 + below(12)
    const spaced = below(2) === 0 ? ' ' : ''
    yield Array.from({ length }, () => tokens[below(tokens.length)]).join(spaced)
  }
}

const environment = { a: 1n, b: { c: 'text' }, list: [1, 2n, 'three', null, { x: [true] }] }

test.each(['1.17', '1.15'] as const)(
  'whatever the text, there is a value or an ExprError (%s)',
  (dialect: ExprDialect) => {
    let values = 0
    for (const text of texts(7, 6000)) {
      try {
        compileExpr(text, { dialect }).run(environment, { limits: { steps: 10_000 } })
        values++
      } catch (error) {
        if (!(error instanceof ExprError)) throw new Error(`not an ExprError: ${text}`, { cause: error })
      }
    }
    expect(values).toBeGreaterThan(50)
  },
)
