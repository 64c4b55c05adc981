import { Client } from 'pg'

type ConnectCallback = ((error: Error) => void) | ((error: null, client: Client) => void)

/**
 * A client that drops its connection where it cannot log in. The server would keep it open for a minute, and the open
 * connection this process.
 */
export class OwnClient extends Client {
  override connect(): Promise<Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<Client> | undefined {
    if (callback === undefined) {
      return super.connect().catch((error: unknown) => {
        this.drop()
        throw error
      })
    }
    const after = callback as (error: Error | null, client: Client) => void // The two forms in one.
    super.connect((error: Error | null) => {
      if (error !== null && error !== undefined) this.drop()
      after(error, this)
    })
    return undefined
  }

  /** Ends the connection without a word to the server. Statements that wait for an answer fail with `error`. */
  drop(error?: Error): void {
    // The types of pg leave it out.
    const { connection } = this as unknown as { readonly connection: { readonly stream: { destroy(e?: Error): void } } }
    connection.stream.destroy(error)
  }
}
