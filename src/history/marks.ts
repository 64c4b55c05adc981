/**
 * What a scan of a project leaves so that the next one recognises what did not change. It is derived: a history without
 * it costs one slow run. The bytes are for those who wrote them; they hold no secret value, only keyed digests.
 */
export interface Marks {
  /** For whom and for which run it holds, under a key. */
  readonly seal: Buffer
  /** What the project's evaluation left for the end of the run; undefined where it does not hold for another run. */
  readonly outcome: Buffer | undefined
}

export interface MarkedPageRow {
  /** Of the page's bytes, under a key. */
  readonly digest: Buffer
  readonly body: Buffer
}

export interface StagedMarks {
  readonly seal: Buffer
  readonly outcome: Buffer | undefined | 'kept'
  /** By listing: its pages, in order. A listing without an entry leaves none. */
  readonly pages: ReadonlyMap<string, readonly (MarkedPageRow | 'kept')[]>
}
