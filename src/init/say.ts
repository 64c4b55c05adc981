/** Prints a line: `good` for what was found to be right, `note` for what a person should know, `text` for the rest. */
export type Say = (how: 'good' | 'note' | 'text', text: string) => void
