/** Most rows, and most characters of their long texts, that wait for one transaction. */
const most = { rows: 500, characters: 1_000_000 }

/**
 * Rows that wait to be inserted together, in the order in which they were staged. A transaction for each page of a
 * project writes nearly twice the bytes.
 */
export class RowQueue<Staged extends { readonly project: number }> {
  #staged: Staged[] = []
  #rows = 0
  #characters = 0

  /** `characters`: about the length of their long texts. */
  add(staged: Staged, rows: number, characters: number): void {
    this.#staged.push(staged)
    this.#rows += rows
    this.#characters += characters
  }

  get isFull(): boolean {
    return this.#rows >= most.rows || this.#characters >= most.characters
  }

  /** They keep waiting until they are known to be written: then they are cleared. */
  get staged(): readonly Staged[] {
    return this.#staged
  }

  has(project: number): boolean {
    return this.#staged.some((staged) => staged.project === project)
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
