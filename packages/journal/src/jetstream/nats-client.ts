// Loaded with this file, on first use. Named here because a bundle gives a dynamic import of CommonJS no names.
export { connect, createInbox, headers } from '@nats-io/transport-node'
