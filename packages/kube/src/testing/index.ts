export { findTool } from './built-tool.ts'
export { noRealServer, RealApiServer, type RealApiServerOptions } from './real-api-server.ts'
