// The tests of the `tiphys` package start the command as users have it: built.
import { build } from './build.mjs'

export default () => build()
