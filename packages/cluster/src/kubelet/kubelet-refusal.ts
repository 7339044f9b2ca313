/** Why a node's endpoint does not serve a request, with the HTTP status that says so. */
export class KubeletRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'KubeletRefusal'
    this.status = status
  }
}
