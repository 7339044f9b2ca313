export { freePort, freePorts } from './free-ports.ts'
