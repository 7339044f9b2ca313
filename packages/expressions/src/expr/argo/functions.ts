import { toFloatingPoint, toInteger } from '../builtins.ts'
import type { ExprDialect } from '../dialect.ts'
import { Evaluation } from '../evaluation.ts'
import { goJson } from '../go-print.ts'
import { anyType, type GoType, stringType } from '../go-type.ts'
import { decodeJson } from '../json-decoder.ts'
import type { ExprFunction, ExprValue } from '../value.ts'
import { compileSelector } from './json-selector.ts'

type Functions = Readonly<Record<string, ExprFunction>>

function declared(
  parameters: readonly GoType[],
  result: GoType,
  call: (...values: never[]) => ExprValue,
): ExprFunction {
  return Object.assign(call, { signature: { parameters, results: [result], isVariadic: false } })
}

/** What Argo adds to the language: asInt, asFloat, jsonpath, toJson, and under `sprig` the functions that are given. */
export function argoFunctions(dialect: ExprDialect, sprig: Functions = {}): Record<string, ExprFunction | Functions> {
  const run = new Evaluation(null, dialect, {})
  return {
    asInt: declared([anyType], anyType, (value: ExprValue) => toInteger(run, [value])),
    asFloat: declared([anyType], anyType, (value: ExprValue) => toFloatingPoint(run, [value])),
    jsonpath: declared([stringType, stringType], anyType, (text: string, path: string) =>
      compileSelector(path).query(decodeJson(text)),
    ),
    toJson: declared([anyType], stringType, (value: ExprValue) => toJson(value, dialect)),
    sprig,
  }
}

/** Argo Events takes what cannot be written for nothing; Argo Workflows fails. */
function toJson(value: ExprValue, dialect: ExprDialect): string {
  try {
    return goJson(value)
  } catch (error) {
    if (dialect === '1.15') return ''
    throw error
  }
}
