export { type LuaOptions, type LuaScript, parseLua } from './lua.ts'
export { LuaError, LuaLimitError, LuaSyntaxError } from './value.ts'
