import { engineContract } from './contract.js';
import { memoryGround } from './ground.js';

engineContract('of one process', memoryGround);
