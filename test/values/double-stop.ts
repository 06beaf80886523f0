/** A sentence that ends twice: our full stop behind the one that a text brought along. Three dots are three dots. */
export const DOUBLE_STOP = /(?:[?!…]|(?<!\.\.)\.)\.(?=[\s)"]|$)(?<!\.\.\.)/m;
