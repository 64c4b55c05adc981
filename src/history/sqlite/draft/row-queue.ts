/** Most rows, and most characters of their long texts, that wait for one transaction. */
const most = { rows: 500, characters: 1_000_000 }

interface StagedRows {
  readonly project: number
  readonly insert: () => void
}

/**
 * Rows that wait to be inserted together, in the order in which they were staged. A transaction for each page of a
 * project writes nearly twice the bytes.
 */
export class RowQueue {
  #staged: StagedRows[] = []
  #rows = 0
  #characters = 0

  /** `characters`: about the length of their long texts. */
  add(staged: StagedRows, rows: number, characters: number): void {
    this.#staged.push(staged)
    this.#rows += rows
    this.#characters += characters
  }

  get isFull(): boolean {
    return this.#rows >= most.rows || this.#characters >= most.characters
  }

  has(project: number): boolean {
    return this.#staged.some((staged) => staged.project === project)
  }

  /** Within a transaction. The rows keep waiting until it is known to be written: then they are cleared. */
  insert(): void {
    for (const { insert } of this.#staged) insert()
  }

  clear(): void {
    this.#staged = []
    this.#rows = 0
    this.#characters = 0
  }

  /** Those of other projects count as before: what was dropped makes the next transaction a little smaller. */
  drop(project: number): void {
    this.#staged = this.#staged.filter((staged) => staged.project !== project)
  }
}
