export { decode as decodeJq, encode as encodeJq } from './encoding.ts'
export { JqError, JqHalt, JqLimitError, JqSyntaxError } from './errors.ts'
export { compileJq, type JqOptions, type JqProgram } from './jq.ts'
export { type JqObject, type JqValue, NumberText } from './value.ts'
