// Loaded before tests (`node --import`): lets them be written in TypeScript and import `tiphys/testing` wherever they are.
import { register } from 'node:module'

register(new URL('./test-hooks.js', import.meta.url))
