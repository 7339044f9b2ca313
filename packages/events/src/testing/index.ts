export { triggerHost } from '../triggers/trigger-scene.ts'
export { GrpcProcess, noGrpcServer } from './grpc-process.ts'
export { noRedisServer, RedisProcess } from './redis-process.ts'
