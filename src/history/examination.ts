import type { Move } from './lease-owner.ts'
import type { Verification } from './upkeep.ts'

/** What a history is like, found without changing anything. */
export interface HistoryExamination {
  /** Whether there is a history. */
  readonly exists: boolean
  /** Whether this user may write where it is, or would be. */
  readonly isWritable: boolean
  /** Whether other users of the machine may read it. */
  readonly isReadableByOthers: boolean
  /** Whether it is known to lie on a disk of this machine. */
  readonly isLocal: boolean
  /** Free on the disk; undefined where that is unknown. */
  readonly freeBytes: number | undefined
  /** undefined for a file. */
  readonly server: ServerExamination | undefined
  /** undefined where there is no history. */
  readonly content: HistoryContent | undefined
}

/** What a server says of itself and of the connection to it. */
export interface ServerExamination {
  /** Such as `PostgreSQL 15.18`. */
  readonly version: string
  /** The protocol, such as `TLSv1.3`; undefined where the connection is not encrypted. */
  readonly tls: string | undefined
}

export interface GoneChannel {
  readonly name: string
  /** When the receiver said so (ISO 8601, UTC). */
  readonly at: string
}

export interface HistoryContent {
  readonly schema: number
  /** The newest schema that this program knows. */
  readonly knownSchema: number
  readonly bytes: number
  readonly committedRuns: number
  /** undefined where it was not moved, or the schema is another. */
  readonly moved: Move | undefined
  /** The id of the installation key of the last committed run; undefined before the first, or of another schema. */
  readonly sealKeyId: string | undefined
  /** Channels whose receivers want no further messages, by name; none of another schema. */
  readonly goneChannels: readonly GoneChannel[]
  /** undefined where the schema is another. */
  readonly verification: Verification | undefined
}
