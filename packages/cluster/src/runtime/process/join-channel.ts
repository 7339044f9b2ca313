import type { Duplex } from 'node:stream'

/** Lets a stream of a multiplexer stand for a connection. The end of one direction is passed on while the other goes on;
 *  a connection that breaks off breaks the stream off; a stream that is closed closes the connection in good order. */
export function joinChannel(channel: Duplex, connection: Duplex): void {
  channel.pipe(connection)
  connection.pipe(channel)
  // What matters of an error is the `close` that follows.
  channel.on('error', () => {})
  connection.on('error', () => {})
  connection.once('close', () => {
    if (!connection.readableEnded) channel.destroy(new Error('the connection was broken off'))
  })
  if (channel.destroyed) connection.destroy()
  else channel.once('close', () => connection.destroy())
}
