/** Troubles that pass by themselves, by the words that the API server, networks and kubelets have for them. */
const signs = [
  'exceeded quota',
  'connection refused',
  'connection reset by peer',
  'connection timed out',
  'i/o timeout',
  'TLS handshake timeout',
  'transport is closing',
  'etcdserver: ',
  'no such host',
  'temporary failure in name resolution',
  'too many requests',
  'try again later',
  'server is currently unable to handle the request',
  'the object has been modified',
  'NodeLost',
  'Evicted',
]

export const isTransient = (message: string) => signs.some(sign => message.includes(sign))
