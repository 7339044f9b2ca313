/** What to use instead of a type of source that upstream has and Tiphys has not. */
const CALLS = 'let it call an entry of the type webhook'
const READ = 'read it with a server of the type generic, or let its sender call an entry of the type webhook'
const FILES = 'mount its files and watch them with the type file, or read it with a server of the type generic'

const INSTEAD: Readonly<Record<string, string>> = {
  amqp: READ,
  azureEventsHub: READ,
  azureQueueStorage: READ,
  azureServiceBus: READ,
  bitbucket: CALLS,
  bitbucketserver: CALLS,
  emitter: READ,
  gerrit: CALLS,
  github: CALLS,
  gitlab: CALLS,
  hdfs: FILES,
  kafka: READ,
  minio: CALLS,
  mns: READ,
  mqtt: READ,
  nsq: READ,
  pubSub: READ,
  pulsar: READ,
  sftp: FILES,
  slack: CALLS,
  sns: CALLS,
  sqs: READ,
  storageGrid: CALLS,
  stripe: CALLS,
}

export const isUnsupportedType = (field: string): boolean => Object.hasOwn(INSTEAD, field)

export const unsupportedMessage = (type: string): string =>
  `${type} is not supported by Tiphys yet: ${INSTEAD[type] ?? READ}`
