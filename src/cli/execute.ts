import type { ProcessContext } from '../app/terminal.ts'

/** How a command hands its work over: the program keeps the exit code that it returns. */
export type Execute = (run: (terminal: ProcessContext) => Promise<number>) => Promise<void>
